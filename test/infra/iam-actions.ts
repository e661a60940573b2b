import services from './iam-actions.json' with { type: 'json' };

/**
 * The actions there are, for the services the templates speak of, as the service authorization
 * reference listed them in September 2026 (EC2: network interfaces and what Lambda asks for; S3: those on objects). An
 * action of a service that is not listed counts as unknown: add the service.
 */
export function actionExists(action: string): boolean {
  if (action === '*') return true;
  const [service = '', name = ''] = action.split(':');
  const known: readonly string[] | undefined = (services as Record<string, string[]>)[service];
  const pattern = new RegExp(`^${name.replaceAll('*', '.*')}$`, 'i');
  return known?.some((candidate) => pattern.test(candidate)) ?? false;
}

/** Actions of all policies in a template that don't exist. */
export function unknownActions(resources: object): readonly string[] {
  const found = new Set<string>();
  JSON.stringify(resources, (key, value: unknown) => {
    if (key === 'Action') for (const action of [value].flat()) found.add(String(action));
    return value;
  });
  return [...found].filter((action) => !actionExists(action));
}
