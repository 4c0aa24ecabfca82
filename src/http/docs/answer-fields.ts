import { escapeHtml, renderProse } from './html.ts';
import type { PublishedDocument, Schema } from './published-document.ts';
import { describeType, readSchema } from './schema-text.ts';

/** The fields of an answer, each with its type and what it means, and what is in it below it. */
export function renderAnswerFields(document: PublishedDocument, given: Schema): string {
  const { schema } = readSchema(document, given);
  if (schema.items) return renderAnswerFields(document, schema.items);
  if (schema.anyOf) {
    const kinds = schema.anyOf.map((each) => renderAnswerFields(document, each)).filter(Boolean);
    return kinds.join('<p class="hint">or</p>');
  }
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '';
  const rows = fields.map(([name, field]) => {
    const { schema: meant } = readSchema(document, field);
    const optional = schema.required?.includes(name) ? '' : ' <span class="optional">not always there</span>';
    const hint = meant.description ? `<p class="hint">${renderProse(meant.description)}</p>` : '';
    return `<li><code>${escapeHtml(name)}</code> <span class="type">${escapeHtml(describeType(document, field))}</span>${optional}${hint}${renderAnswerFields(document, field)}</li>`;
  });
  return `<ul class="answer-fields">${rows.join('')}</ul>`;
}
