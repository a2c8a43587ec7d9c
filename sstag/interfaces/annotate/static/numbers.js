// Numbers and labels as people read them, the same way on all pages.

/** A number with so many decimals, and a comma between thousands. */
export const decimal = (number, digits) =>
  number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const whole = (number) => decimal(number, 0);

/** A probability or a share. */
export const percent = (p) => `${whole(100 * p)} %`;

export const percentage = (part) => `${decimal(100 * part, 1)} %`;

/** "1 text", "1,248 texts". */
export const counted = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Labels in a line; that of no span has a name that says so. */
export const named = (labels) => labels.map((name) => (name === "O" ? "no span" : name)).join(" | ");
