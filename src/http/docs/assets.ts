import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { icon, style } from './html.ts';
import { PreparedPage } from './prepared-page.ts';
import { referenceScript } from './reference.ts';

/** A browser asks whether it has the newest, so that no page meets the scripts of another version. */
const headers = { 'Cache-Control': 'no-cache' };

/** Where the one file of Scalar is: a build has it beside this one, the sources where npm installs it. */
const scalar = [
  join(import.meta.dirname, 'scalar.js'),
  join(import.meta.dirname, '../../../node_modules/@scalar/api-reference/dist/browser/standalone.js'),
].find((file) => existsSync(file));

/** Whoever copies Scalar has to pass this on. */
const scalarNotice = `/*!
Scalar API Reference. MIT License. Copyright (c) 2023-present Scalar

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
`;

/** All that the pages load, by file name, each made when it is asked for: Scalar has 4 MB, which the API does without. */
export const createAssets = (): ReadonlyMap<string, () => PreparedPage> =>
  new Map([
    ['puente.css', makeOnce(() => new PreparedPage('css', style, headers))],
    ['icon.svg', makeOnce(() => new PreparedPage('svg', icon, headers))],
    ['reference.js', makeOnce(() => new PreparedPage('js', referenceScript, headers))],
    ...(scalar === undefined
      ? []
      : [
          [
            'scalar.js',
            makeOnce(() => new PreparedPage('js', scalarNotice + readFileSync(scalar, 'utf8'), headers)),
          ] as const,
        ]),
  ]);

function makeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
