/** Elements without content, which are never closed. */
const voids: ReadonlySet<string> = new Set(['meta', 'link', 'input', 'br', 'hr', 'img']);

/** The values of an attribute, in the order of the page. */
export const listAttributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map((match) => match[1] as string);

/** What is wrong with a page: elements that are not closed in their order, ids that are there twice, and references to none. */
export function findMarkupFaults(html: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  for (const [, end, name = '', attributes = ''] of html.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:\s+[^\s"'<>=]+(?:="[^"<>]*")?)*)\s*>/g,
  )) {
    if (end) {
      const last = open.pop();
      if (last !== name) faults.push(`</${name}> where <${last}> is open`);
    } else if (!voids.has(name)) open.push(name);
    const names = [...attributes.matchAll(/\s([^\s"=]+)(?:="[^"]*")?/g)].map((match) => match[1]);
    if (new Set(names).size !== names.length) faults.push(`an attribute twice in <${name}${attributes}>`);
  }
  if (open.length > 0) faults.push(`never closed: ${open.join(', ')}`);
  // What the pattern above did not take for a tag.
  const rest = html.replaceAll(/<\/?[a-z][a-z0-9]*(?:\s+[^\s"'<>=]+(?:="[^"<>]*")?)*\s*>|<!doctype html>/g, '');
  if (/[<>]/.test(rest)) faults.push('a bare < or > in a text');
  const ids = listAttributes(html, 'id');
  for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`#${id} twice`);
  const targets = ['for', 'form', 'aria-labelledby', 'aria-describedby', 'aria-controls'].flatMap((name) =>
    listAttributes(html, name),
  );
  const anchors = listAttributes(html, 'href').flatMap((href) => (href.startsWith('#') ? href.slice(1) : []));
  for (const target of [...targets, ...anchors]) if (!ids.includes(target)) faults.push(`no #${target}`);
  return faults;
}
