// Requests to the server of this page.

/** The server did not answer, asks to wait, or cannot write: trying again later may help. `says` is what it said, if it did. */
export class Unreachable extends Error {
  constructor(message, says = "") {
    super(message);
    this.says = says;
  }
}

/** The server refused the request, and says why. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const PATIENCE = 20000; // milliseconds
const WAIT = [408, 429, 502, 503, 504, 507];
const FULL = 507; // it says why it cannot write, such as a full disk

async function call(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new Unreachable("the server does not answer");
  }
  const said = await response.json().catch(() => ({})); // a server that is ending, or not this one
  if (WAIT.includes(response.status)) throw new Unreachable(said.error || "the server asks to wait", response.status === FULL ? said.error : "");
  if (!response.ok) throw new Refused(said.error || `the server says ${response.status}`, response.status);
  return said;
}

/** The answer to a question; `about` becomes the query, without what is undefined. */
export function get(path, about = {}) {
  const known = Object.entries(about).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return call("GET", known.length ? `${path}?${new URLSearchParams(known)}` : path);
}

/**
 * Questions of one kind, asked again and again: where a later one was asked meanwhile, an earlier one gets no answer any
 * more, so that a list which comes late does not replace a newer one.
 */
export function newest() {
  let last = null;
  return (asked) =>
    new Promise((resolve, reject) => {
      const mine = (last = {});
      asked.then((said) => mine === last && resolve(said), (error) => mine === last && reject(error));
    });
}

/** What the server says of something that is given to it. */
export const post = (path, body) => call("POST", path, body);

/** A key that no other answer has. */
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
