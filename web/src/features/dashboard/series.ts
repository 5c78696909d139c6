/** Something counted under a name. */
export interface Bar {
  name: string;
  count: number;
}

/** top keeps the largest and gathers the others under one name. */
export function top(bars: Bar[], most: number, others: string): Bar[] {
  const sorted = bars.toSorted((a, b) => b.count - a.count);
  const rest = sorted.slice(most).reduce((sum, bar) => sum + bar.count, 0);
  return rest > 0 ? [...sorted.slice(0, most), { name: others, count: rest }] : sorted;
}

/** growth turns what was added each day into how many there were by then, ending at the total of today. */
export function growth(days: { day: string; added: number }[], total: number): { day: string; added: number; total: number }[] {
  let after = total;
  return days
    .toReversed()
    .map(({ day, added }) => {
      const entry = { day, added, total: after };
      after = Math.max(0, after - added);
      return entry;
    })
    .reverse();
}
