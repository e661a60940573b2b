/** A locally present image's tags, as Docker lists them. */
export type LocalImage = { readonly RepoTags?: readonly string[] | null | undefined };

const MANAGEMENT_TAG = /^rabbitmq:(\d+(?:\.\d+)*)-management$/;

/** The newest `rabbitmq:<version>-management` among the images that are here, or undefined. */
export function newestManagementImage(images: readonly LocalImage[]): string | undefined {
  return images
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((tag) => MANAGEMENT_TAG.test(tag))
    .sort(byVersion)
    .at(-1);
}

function byVersion(left: string, right: string): number {
  const [a, b] = [versionOf(left), versionOf(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function versionOf(tag: string): number[] {
  return (MANAGEMENT_TAG.exec(tag)?.[1] ?? '').split('.').map(Number);
}

/** In a person's words, why Docker can't be used, from what trying its socket gave. */
export function daemonReason(errorCode: string | undefined, socketPath: string): string {
  switch (errorCode) {
    case 'ENOENT':
      return `no Docker here (${socketPath} does not exist)`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to use Docker (${socketPath}); is this user in the group docker?`;
    case 'ECONNREFUSED':
      return `the Docker daemon is not running (nobody listens on ${socketPath})`;
    default:
      return `Docker does not answer (${errorCode ?? 'no working container runtime'})`;
  }
}
