// Lists of names as files: each line that is a word of the pool becomes a line of the list.
import { html, useState } from "./html.js";
import { freshKey } from "./api.js";
import { Choice } from "./choice.js";
import { counted, whole } from "./numbers.js";

const MOST = 4 * 2 ** 20; // bytes of a file

export function Gazetteers({ bench, added }) {
  const [label, setLabel] = useState(bench.state.labels[0].name);
  const [over, setOver] = useState(false);
  const [says, setSays] = useState("");

  const take = async (files) => {
    setOver(false);
    for (const file of files) {
      if (file.size > MOST) {
        setSays(`${file.name} has more than 4 MiB: cut it into several files`);
        return;
      }
      const terms = [...new Set((await file.text()).split(/\r?\n/).map((line) => line.trim()).filter(Boolean))];
      try {
        const { found, terms: count } = await bench.outbox.other("/api/gazetteers", { key: freshKey(), name: file.name, label, terms });
        setSays(`${file.name}: ${whole(found)} of ${counted(count, "name")} stand in the texts, and are ${label} from now on`);
        added();
      } catch (error) {
        bench.outbox.refused = null;
        setSays(`${file.name}: ${error.message}`);
      }
    }
  };
  return html`<section class=${`gazetteers ${over ? "over" : ""}`}
    onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
    onDrop=${(event) => { event.preventDefault(); take(event.dataTransfer.files); }}>
    <h2>Lists of names</h2>
    <p>Drop a text file with a name a line here, or choose one:</p>
    <div class="ask"><${Choice} label="Its names are" value=${label} options=${bench.state.labels.map(({ name }) => [name, name])} chosen=${setLabel} />
      <label>File <input type="file" accept=".txt,.tsv,.csv,.lst,text/plain" multiple onChange=${(event) => take(event.target.files).then(() => (event.target.value = ""))} /></label></div>
    <p class="note" role="status">${says}</p>
  </section>`;
}
