// Shares of labels: objects keyed by labels as people name them, `__proto__` and `toString` among them. So a share is looked
// up among an object's own keys alone, and new ones are made by `fromEntries`, for which no name is special.

/** The share of a label; 0 if there is none. */
export const shareOf = (shares, name) => (shares && Object.hasOwn(shares, name) ? shares[name] : 0);

/** Labels with their shares, the largest first. */
export const sortedShares = (shares) => Object.entries(shares ?? {}).sort((a, b) => b[1] - a[1]);

/** The labels that have a share. */
export const namesIn = (shares) => Object.entries(shares ?? {}).filter(([, share]) => share > 0).map(([name]) => name);

/** The same share for each of some labels. */
export const evenShares = (names) => Object.fromEntries(names.map((name) => [name, 1 / names.length]));

/** The sum of counts, or of shares. */
export const total = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);

/** Counts as shares. */
export function sharesOf(counts) {
  const sum = total(counts);
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n / sum]));
}

/** Shares with one of them changed; the others keep their proportions, and all together are one. */
export function withShare(shares, name, share) {
  const others = Object.entries(shares).filter(([each]) => each !== name);
  const sum = others.reduce((sofar, [, p]) => sofar + p, 0);
  const rest = 1 - share;
  const scaled = others.map(([each, p]) => [each, sum > 0 ? (p / sum) * rest : rest / others.length]);
  return Object.fromEntries([...scaled, [name, others.length ? share : 1]]);
}
