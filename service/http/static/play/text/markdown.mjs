/** The part of Markdown that the rules are written in, as elements: paragraphs, lists, tables. */

/** @import { VNode } from "../vendor/preact-htm.mjs" */
import { html } from "../vendor/preact-htm.mjs";

/** @param {string} text @returns {VNode[]} */
export function markdown(text) {
  return text.trim().split(/\n\n+/).map(block);
}

/** @param {string} text @returns {VNode} */
function block(text) {
  const lines = text.split("\n");
  if (text.startsWith("#")) return html`<h4>${inline(text.replace(/^#+ /, "").replace(/ \{#.*\}$/, ""))}</h4>`;
  if (text.startsWith("|")) return table(lines);
  if (text.startsWith("- ")) return html`<ul>${items(lines, /^- /)}</ul>`;
  if (/^\d+\. /.test(text)) return html`<ol>${items(lines, /^\d+\. /)}</ol>`;
  return html`<p>${inline(text)}</p>`;
}

/** @param {string[]} lines @param {RegExp} mark */
const items = (lines, mark) => lines.map((line) => html`<li>${inline(line.replace(mark, ""))}</li>`);

/** @param {string[]} lines */
function table([head, , ...rows]) {
  const cells = (/** @type {string} */ line) => line.split("|").slice(1, -1).map((cell) => inline(cell.trim()));
  return html`<div class="scroll"><table>
    <thead><tr>${cells(head).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** Strong, emphasized, code. @param {string} text */
function inline(text) {
  return text.split(/(\*\*.+?\*\*|\*.+?\*|`.+?`)/).map((part) => {
    if (part.startsWith("**")) return html`<b>${part.slice(2, -2)}</b>`;
    if (part.startsWith("*") && part.length > 1) return html`<em>${part.slice(1, -1)}</em>`;
    return part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : part;
  });
}
