/** A condition of a question: a column and the value to compare. */
export interface KeyCondition {
  /** The `:name` of the value. */
  readonly name: string;
  readonly is: '=' | '>=' | '<=';
  /** A column, or an expression over columns. */
  readonly column: string;
  /** The join that it needs. */
  readonly join?: string | undefined;
  /** True if the condition is left out without a value. */
  readonly isOptional?: true | undefined;
  /** True if rows whose column is NULL match too. */
  readonly orNull?: true | undefined;
  /** Two columns. Rows match too whose first one is less than the second one. */
  readonly orLess?: readonly [string, string] | undefined;
}

/** A question that the file has in parts. */
export interface KeyedQuestion {
  readonly select: string;
  /** The condition that always applies. */
  readonly where?: string | undefined;
  readonly order?: string | undefined;
  readonly conditions: readonly KeyCondition[];
}

const isName = /^[\w.]+$/;
const enclose = (expression: string): string => (isName.test(expression) ? expression : `(${expression}\n)`);

/**
 * Two limits of one column become a BETWEEN, because MariaDB pushes an equality and a BETWEEN into a view, but not IN
 * or two comparisons.
 */
function formatConditions(conditions: readonly KeyCondition[], count: (name: string) => number): string[] {
  return conditions.flatMap((each) => {
    const column = enclose(each.column);
    if (each.is === '=') {
      const equals = count(each.name) > 1 ? `${column} IN (:${each.name})` : `${column} = :${each.name}`;
      return each.orNull ? `(${equals} OR ${column} IS NULL)` : equals;
    }
    const other = conditions.find((one) => one !== each && one.is !== '=' && one.column === each.column);
    const compared = `${column} ${each.is} :${each.name}`;
    if (each.orLess) return `(${compared} OR ${each.orLess.map(enclose).join(' < ')})`;
    if (!other) return compared;
    return each.is === '>=' ? `${column} BETWEEN :${each.name} AND :${other.name}` : [];
  });
}

/**
 * The statement of a question, whose rows all match the criteria.
 * @param count the number of values of a name.
 */
export function composeQuestion(
  { select, where, order, conditions }: KeyedQuestion,
  count: (name: string) => number,
): string {
  const used = conditions.filter(({ name, isOptional }) => !isOptional || count(name) > 0);
  const joins = new Set(used.flatMap(({ join }) => join ?? []));
  // A separate line ends a comment.
  const all = [...(where === undefined ? [] : [`(${where}\n)`]), ...formatConditions(used, count)];
  return [
    select,
    ...joins,
    ...(all.length > 0 ? [`WHERE ${all.join('\n  AND ')}`] : []),
    ...(order === undefined ? [] : [`ORDER BY ${order}`]),
  ].join('\n');
}
