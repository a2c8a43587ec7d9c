// A part of a page that shows what the server says, and asks again when something has changed.
import { useMemo, useState } from "./html.js";
import { get, newest } from "./api.js";

/** What the server said last, or null; why it refused, if it did; and how to ask it again. */
export function useLook(path, about) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState("");
  const latest = useMemo(newest, []);
  const look = () => latest(get(path, about)).then(setFound, (refusal) => setError(refusal.message));
  return [found, error, look];
}
