import { type Random, shuffled } from '../random.ts';

/** Parts per thousand of the messages that meet each fate, give or take; the rest gets `otherwise`. */
export type FateShares<Fate extends string> = Readonly<Record<Fate, number>>;

export interface Deal<Fate extends string> {
  readonly shares: FateShares<Fate>;
  /** The fate of everybody else. */
  readonly otherwise: NoInfer<Fate>;
  /** The fate whose message is sent twice, which takes two of the messages. */
  readonly twice: NoInfer<Fate>;
}

/**
 * Deals fates that make `count` messages: each its share, a quarter more or less by chance, but at least
 * one where there are messages enough for everybody; then shuffled.
 */
export function dealFates<Fate extends string>(
  random: Random,
  count: number,
  { shares, otherwise, twice }: Deal<Fate>,
): Fate[] {
  const fates: Fate[] = [];
  let messages = 0;
  const deal = (fate: Fate): boolean => {
    const takes = fate === twice ? 2 : 1;
    if (messages + takes > count) return false;
    messages += takes;
    return fates.push(fate) > 0;
  };
  const kinds = Object.keys(shares) as Fate[];
  const enoughForAll = count >= 10 * kinds.length;
  for (const fate of kinds) {
    const share = shares[fate] * (0.75 + random() / 2);
    const wanted = Math.round((count * share) / (fate === twice ? 2000 : 1000));
    const dealt = shares[fate] > 0 && enoughForAll ? Math.max(1, wanted) : wanted;
    for (let n = 0; n < dealt && deal(fate); n++);
  }
  while (deal(otherwise));
  return shuffled(random, fates);
}
