/** The parts of the platform that staff work with. */
export const modules = ["crm", "sender-ids", "billing", "pricing"] as const;
export type Module = (typeof modules)[number];

/** How far a member may go in a module; each level includes those before it. */
export const levels = ["none", "read", "admin", "owner"] as const;
export type Level = (typeof levels)[number];

export type Permissions = Record<Module, Level>;

/** includes tells whether someone at a level may do what needs another. */
export function includes(level: Level, needed: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(needed);
}

/** complete names every module; those the server leaves out are at none. */
export function complete(some: Partial<Permissions>): Permissions {
  return Object.fromEntries(modules.map((module) => [module, some[module] ?? "none"])) as Permissions;
}

/**
 * changes are the modules whose level differs. Only they are sent, so that two
 * owners who edit the same member do not undo each other's work.
 */
export function changes(before: Permissions, after: Permissions): Partial<Permissions> {
  return Object.fromEntries(modules.filter((module) => before[module] !== after[module]).map((module) => [module, after[module]]));
}
