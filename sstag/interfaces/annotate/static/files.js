// What there is as a file, and more of everything from files.
import { html, useEffect, useState } from "./html.js";
import { get, post } from "./api.js";
import { Choice } from "./choice.js";
import { counted, whole } from "./numbers.js";

const MOST = 16 * 2 ** 20; // bytes
const AS = { annotations: "answers of mine", suggestions: "suggestions of another tool", pool: "more text" };

export function Files({ bench }) {
  const [formats, setFormats] = useState({ export: [], import: [] });
  const [chosen, setChosen] = useState({ export: "", import: "", as: "annotations" });
  const [says, setSays] = useState("");
  useEffect(() => {
    get("/api/formats").then((known) => {
      setFormats(known);
      setChosen((now) => ({ ...now, export: known.export[0], import: known.import[0] }));
    }, (refusal) => setSays(refusal.message));
  }, []);
  const choice = (name, options, label) =>
    html`<${Choice} label=${label} value=${chosen[name]} options=${options} chosen=${(value) => setChosen({ ...chosen, [name]: value })} />`;
  const take = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    if (file.size > MOST) {
      setSays(`${file.name} has more than 16 MiB: give it to sstag annotate with --import`);
      return;
    }
    try {
      const said = await post("/api/import", {
        session: bench.session, name: file.name, format: chosen.import, as: chosen.as, content: await file.text(),
      });
      setSays(`${file.name}: ${counted(said.texts, "text")}, ${whole(said.new)} of them new`);
      bench.look();
    } catch (error) {
      setSays(`${file.name}: ${error.message}`);
    }
    event.target.value = "";
  };
  const pairs = (names) => names.map((name) => [name, name]);
  return html`<section class="files"><h2>Files</h2>
    <div class="ask">${choice("export", pairs(formats.export), "All answers as")}
      <a class="button" href=${`/api/export?format=${encodeURIComponent(chosen.export)}`} download>Export</a></div>
    <div class="ask">${choice("import", pairs(formats.import), "A file of the format")} ${choice("as", Object.entries(AS), "has")}
      <label>File <input type="file" onChange=${take} /></label></div>
    <p class="note" role="status">${says}</p>
  </section>`;
}
