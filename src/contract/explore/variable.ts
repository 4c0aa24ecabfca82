import type { Query, Request, Route } from '../subject.ts';

/** A value that differs from run to run, and the shell variable that holds it where the requests are printed. */
export class Variable<T extends string | number = string> {
  readonly name: string;
  readonly value: T;
  /** What a shell computes it from; absent: an earlier answer has it. */
  readonly expression: string | undefined;

  constructor(name: string, value: T, expression?: string) {
    this.name = name;
    this.value = value;
    this.expression = expression;
  }

  toJSON(): T {
    return this.value;
  }

  toString(): string {
    return String(this.value);
  }
}

type Text = string | Variable<string | number>;

/** A request whose parts may be variables. */
export interface Template {
  readonly route: Route;
  readonly params?: Readonly<Record<string, Text>>;
  readonly query?: Readonly<Record<string, Text>>;
  readonly body?: object;
}

/** The request with the values in the place of the variables. */
export const fillTemplate = ({ route, params, query, body }: Template): Request => ({
  route,
  ...(params && { params: toTexts(params) }),
  ...(query && { query: toTexts(query) }),
  ...(body && { body: JSON.parse(JSON.stringify(body)) }),
});

const toTexts = (values: Readonly<Record<string, Text>>): Query =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
