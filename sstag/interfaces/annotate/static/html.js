// Templates for all pages: htm writes what Preact draws. Texts are only ever children, so markup in them is shown as text.
import { h, render, Component, Fragment, createRef } from "./vendor/preact.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { render, Component, Fragment, createRef, useEffect, useLayoutEffect, useMemo, useRef, useState };
