// The labels of the project, and how many annotators see each text: what is changed here is changed for everybody.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { freshKey, get, post } from "./api.js";
import { coloured } from "./colours.js";
import { counted } from "./numbers.js";

const KEEP = "keep";
const FATES = [[KEEP, "keep"], ["open", "remove: tokens stay open"], ["outside", "remove: tokens are in no span"]];

/** How many answers have a label. */
const used = ({ texts, spans, features }) =>
  [[texts, "text"], [spans, "span"], [features, "word"]].filter(([count]) => count)
    .map(([count, what]) => counted(count, what)).join(", ") || "no answers";

export function LabelsDialog({ bench, close }) {
  const box = useRef(null);
  const [rows, setRows] = useState(null); // each label with the name and the fate that it is to have
  const [added, setAdded] = useState("");
  const [overlap, setOverlap] = useState("1");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => box.current.showModal(), []);
  useEffect(() => {
    get("/api/labels", { session: bench.session }).then((found) => {
      setRows(found.labels.map((label) => ({ ...label, now: label.name, fate: KEEP })));
      setOverlap(String(found.overlap));
    }, (failure) => setError(failure.message));
  }, []);

  const change = (name, values) => setRows(rows.map((row) => (row.name === name ? { ...row, ...values } : row)));
  const apply = async (event) => {
    event.preventDefault();
    const gone = rows.filter(({ fate }) => fate !== KEEP);
    const rename = Object.fromEntries(rows.filter((row) => row.fate === KEEP && row.now.trim() !== row.name).map((row) => [row.name, row.now.trim()]));
    const remove = Object.fromEntries(gone.map(({ name, fate }) => [name, fate]));
    const add = added.split(",").map((name) => name.trim()).filter(Boolean);
    setBusy(true);
    try {
      if (add.length || gone.length || Object.keys(rename).length)
        await post("/api/labels", { session: bench.session, key: freshKey(), add, rename, remove });
      if (Number(overlap) !== bench.state.overlap) await post("/api/overlap", { session: bench.session, overlap: Number(overlap) });
      await bench.look();
      box.current.close();
    } catch (failure) {
      setError(failure.message);
    } finally {
      setBusy(false);
    }
  };

  const row = ({ name, now, fate, ...uses }) => html`<tr key=${name} class=${fate === KEEP ? "" : "gone"}>
    <td><input type="text" class="name" style=${coloured(bench.hues, [name])} value=${now} disabled=${fate !== KEEP} required autocomplete="off" spellcheck=${false}
      aria-label=${`name of ${name}`} onInput=${(event) => change(name, { now: event.target.value })} /></td>
    <td class="note">${used(uses)}</td>
    <td><select aria-label=${`what becomes of ${name}`} value=${fate} onChange=${(event) => change(name, { fate: event.target.value })}>
      ${FATES.map(([value, says]) => html`<option key=${value} value=${value}>${says}</option>`)}</select></td></tr>`;
  return html`<dialog ref=${box} class="keys labels" aria-labelledby="labels-title" onClose=${close}>
    <h2 id="labels-title">Labels of the project</h2>
    <p>Everybody who annotates sees what you change. Answers follow a label to its new name. Answers from before know nothing of a new label.</p>
    <form onSubmit=${apply}>
      ${rows === null ? !error && html`<p role="status">The labels are on their way …</p>` : html`
        <div class="tables" tabindex="0" role="group" aria-label="list of labels">
          <table><thead><tr><th scope="col">label</th><th scope="col">answers</th><th scope="col">becomes</th></tr></thead>
            <tbody>${rows.map(row)}</tbody></table></div>
        <p><label>New labels, with commas between them <input type="text" id="new-labels" value=${added} autocomplete="off" spellcheck=${false}
          onInput=${(event) => setAdded(event.target.value)} /></label></p>
        <p><label>Annotators for each text <input type="number" id="overlap" min="1" max="1000" required value=${overlap}
          onInput=${(event) => setOverlap(event.target.value)} /></label>
          <span class="note"> for texts that nobody was asked about yet</span></p>`}
      <p role="alert" class="bad">${error}</p>
      <div class="buttons">
        <button type="button" onClick=${() => box.current.close()}>Cancel</button>
        <button type="submit" class="main" disabled=${busy || rows === null}>Change</button>
      </div>
    </form>
  </dialog>`;
}
