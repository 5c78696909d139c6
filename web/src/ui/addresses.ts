/** text keeps a parameter of an address when it is one. */
export const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** inside keeps an address within the console, lest a link lead from the sign-in to another site. */
export const inside = (value: unknown) => (typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined);
