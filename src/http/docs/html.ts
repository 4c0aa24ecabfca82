const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or an attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Escapes text, and turns what is between backticks into code, and between two asterisks into bold. */
export const renderProse = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');

/** Paragraphs and headings of CommonMark, the only blocks of the document's texts; headings become those of a level. */
export const renderBlocks = (text: string, level: number): string =>
  text
    .split(/\n{2,}/)
    .map((block) => {
      const heading = /^#+ (.+)$/.exec(block)?.[1];
      if (heading === undefined) return `<p>${renderProse(block.replaceAll('\n', ' '))}</p>`;
      return `<h${level}>${renderProse(heading)}</h${level}>`;
    })
    .join('\n');
