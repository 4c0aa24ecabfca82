/** A condition of a question: what is compared with what is asked for. */
export interface KeyCondition {
  /** The `:name` of what is asked for. */
  readonly name: string;
  readonly is: '=' | '>=' | '<=';
  /** A column, or an expression over columns. */
  readonly column: string;
  /** What has to be joined for it. */
  readonly join?: string | undefined;
  /** It is left out where nobody gave a value. */
  readonly isOptional?: true | undefined;
}

/** A question of which the file says the parts. */
export interface KeyedQuestion {
  readonly select: string;
  /** What always holds. */
  readonly where?: string | undefined;
  readonly order?: string | undefined;
  readonly conditions: readonly KeyCondition[];
}

const isName = /^[\w.]+$/;
const enclose = (expression: string): string => (isName.test(expression) ? expression : `(${expression}\n)`);

/**
 * The statement of a question, whose every row fits what is asked for.
 * @param isGiven whether there is a value for a name.
 */
export function composeQuestion(
  { select, where, order, conditions }: KeyedQuestion,
  isGiven: (name: string) => boolean,
): string {
  const used = conditions.filter(({ name, isOptional }) => !isOptional || isGiven(name));
  const joins = new Set(used.flatMap(({ join }) => join ?? []));
  // A line of its own ends a comment.
  const all = [
    ...(where === undefined ? [] : [`(${where}\n)`]),
    ...used.map(({ column, is, name }) =>
      is === '=' ? `${enclose(column)} IN (:${name})` : `${enclose(column)} ${is} :${name}`,
    ),
  ];
  return [
    select,
    ...joins,
    ...(all.length > 0 ? [`WHERE ${all.join('\n  AND ')}`] : []),
    ...(order === undefined ? [] : [`ORDER BY ${order}`]),
  ].join('\n');
}
