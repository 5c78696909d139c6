const DAY = 24 * 60 * 60 * 1000;

/** Days that a contact can be brought back after it was put into the trash. */
export const TRASH_DAYS = 90;

/** daysLeft counts the days, begun ones included, until a trashed contact is gone. */
export function daysLeft(deletedAt: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(deletedAt) + TRASH_DAYS * DAY - now) / DAY));
}
