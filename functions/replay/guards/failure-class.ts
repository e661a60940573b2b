import { type GuardAnswer, HOLDS, refuses } from './types.ts';

/** Holds for classes on the flow's allow-list. */
export function failureClass(name: string, allowed: readonly string[]): GuardAnswer {
  if (allowed.includes(name)) return HOLDS;
  const list = allowed.length === 0 ? 'none is' : `only ${allowed.join(', ')}`;
  return refuses('class', `class ${name} is not replayed automatically (${list})`);
}
