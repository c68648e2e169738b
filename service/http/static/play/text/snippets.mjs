/** A request of the page as a program that others may run. */

/** @import { Exchange } from "../types.ts" */

/** @type {Record<string, (exchange: Exchange) => string>} */
export const SNIPPETS = { curl, Python: python, JavaScript: javascript };

/** @param {Exchange} exchange */
function curl({ method, url, headers, body }) {
  const lines = [`curl -s${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push(`-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** @param {Exchange} exchange */
function python({ method, url, headers, body }) {
  const lines = [
    "import json",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    `    headers=${JSON.stringify(headers)},`,
  ];
  // The text of the body is a literal of Python as well as of JavaScript.
  if (body) lines.push(`    data=${JSON.stringify(JSON.stringify(body))}.encode(),`);
  return [...lines, ")", "print(json.load(urllib.request.urlopen(request)))"].join("\n");
}

/** @param {Exchange} exchange */
function javascript({ method, url, headers, body }) {
  const lines = [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    `  headers: ${JSON.stringify(headers)},`,
  ];
  if (body) lines.push(`  body: ${JSON.stringify(JSON.stringify(body))},`);
  return [...lines, "});", "console.log(await answer.json());"].join("\n");
}
