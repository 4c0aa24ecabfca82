const place = /^(?:--)?\S+? (?:[\w.[\]-]+: )?/;
const act = /(?:^|\s)must |: ["`\w-]/;

/**
 * The problems that lack the form of an error text: where, what is wrong, and after a colon what to do. A rule with
 * "must" is both.
 */
export const listFormless = (problems: readonly string[]): readonly string[] =>
  problems.filter((line) => !act.test(line.replace(place, '')));
