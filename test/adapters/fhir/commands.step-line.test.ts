import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { StepLine } from '../../../adapters/fhir/commands.ts';
import { Lines } from '../../support/lines.ts';

/** What is written by two steps of which the second is interrupted. */
function show(isTTY: boolean) {
  const stream = Object.assign(new Lines(), { isTTY });
  let written = '';
  stream._write = (chunk: Buffer, _encoding, done) => {
    written += chunk.toString('utf8');
    done();
  };
  const line = new StepLine(stream);
  const before = line.end();
  line.show('institutions', 0, 2);
  line.show('institutions', 2, 2);
  line.show('carriers', 0, 3);
  line.show('carriers', 1, 3);
  return { before, last: line.end(), again: line.end(), written: stripVTControlCharacters(written) };
}

describe('the progress of a long task', () => {
  test('is one line for each step where nobody looks', () => {
    expect(show(false)).toMatchObject({ written: 'institutions 2/2\ncarriers 1/3\n' });
  });

  test('is one line on a terminal that changes until the step is over', () => {
    const written = '\rinstitutions 0/2\rinstitutions 2/2\n\rcarriers 0/3\rcarriers 1/3\n';
    expect(show(true)).toMatchObject({ written });
  });

  test('ends once, and tells which step was the last', () => {
    expect(show(false)).toMatchObject({ before: undefined, last: 'carriers', again: 'carriers' });
  });
});
