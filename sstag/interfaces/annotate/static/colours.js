// Colours of labels: hues far apart for neighbours in the list, however many labels there are. Lightness is the style
// sheet's affair, so that text stays readable in dark and in light.

const GOLDEN = 137.508; // degrees; no multiple comes near an earlier one for long

/** The hue of each label, by name. */
export const huesOf = (labels) => new Map(labels.map(({ name, colour }) => [name, (25 + colour * GOLDEN) % 360]));

/** What the style sheet needs to colour something as these labels. */
export const coloured = (hues, labels) =>
  hues.has(labels[0]) ? { "--hue": hues.get(labels[0]).toFixed(1), "--vivid": "1" } : { "--vivid": "0" };
