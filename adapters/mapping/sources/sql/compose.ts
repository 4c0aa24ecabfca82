/** A condition of a question: what is compared with what is asked for. */
export interface KeyCondition {
  /** The `:name` of what is asked for. */
  readonly name: string;
  readonly is: '=' | '>=' | '<=';
  /** A column, or an expression over columns. */
  readonly column: string;
  /** The join that it needs. */
  readonly join?: string | undefined;
  /** It is left out where nobody gave a value. */
  readonly isOptional?: true | undefined;
}

/** A question whose parts are in the file. */
export interface KeyedQuestion {
  readonly select: string;
  /** The condition that always applies. */
  readonly where?: string | undefined;
  readonly order?: string | undefined;
  readonly conditions: readonly KeyCondition[];
}

const isName = /^[\w.]+$/;
const enclose = (expression: string): string => (isName.test(expression) ? expression : `(${expression}\n)`);

/** The two limits of one column become a BETWEEN: MariaDB pushes an equality and a BETWEEN into a view, no IN and no two comparisons. */
function formatConditions(conditions: readonly KeyCondition[], count: (name: string) => number): string[] {
  return conditions.flatMap((each) => {
    const column = enclose(each.column);
    if (each.is === '=') return count(each.name) > 1 ? `${column} IN (:${each.name})` : `${column} = :${each.name}`;
    const other = conditions.find((one) => one !== each && one.is !== '=' && one.column === each.column);
    if (!other) return `${column} ${each.is} :${each.name}`;
    return each.is === '>=' ? `${column} BETWEEN :${each.name} AND :${other.name}` : [];
  });
}

/**
 * The statement of a question, whose every row fits what is asked for.
 * @param count how many values there are for a name.
 */
export function composeQuestion(
  { select, where, order, conditions }: KeyedQuestion,
  count: (name: string) => number,
): string {
  const used = conditions.filter(({ name, isOptional }) => !isOptional || count(name) > 0);
  const joins = new Set(used.flatMap(({ join }) => join ?? []));
  // A line of its own ends a comment.
  const all = [...(where === undefined ? [] : [`(${where}\n)`]), ...formatConditions(used, count)];
  return [
    select,
    ...joins,
    ...(all.length > 0 ? [`WHERE ${all.join('\n  AND ')}`] : []),
    ...(order === undefined ? [] : [`ORDER BY ${order}`]),
  ].join('\n');
}
