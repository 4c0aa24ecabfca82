const token =
  /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:)|\b[A-Za-z_]\w*(?=: ))|(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>\b(?:await|const|curl|False|false|import|None|null|print|True|true)\b)/g;

/**
 * The parts of a snippet or of JSON, each with its kind, or `` for the rest.
 * @param {string} text
 * @returns {(readonly [kind: string, text: string])[]}
 */
export function splitCode(text) {
  /** @type {(readonly [string, string])[]} */
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > end) parts.push(['', text.slice(end, match.index)]);
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [''];
    parts.push([kind, match[0]]);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(['', text.slice(end)]);
  return parts;
}
