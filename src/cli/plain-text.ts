const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Without what could control a terminal: patients and other systems may have written anything. */
export const toPlainText = (text: string): string => text.replaceAll(controls, ' ');

/** The same of a text of several lines. */
export const toPlainLines = (text: string): string => text.split('\n').map(toPlainText).join('\n');

/** What could control a terminal as the escapes of JSON, where a blank would hide a difference. */
export const escapeControls = (text: string): string => text.replaceAll(controls, escapeUnits);

const escapeUnits = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** The value as JSON, which is the same value when it is read. */
export const toPlainJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).split('\n').map(escapeControls).join('\n');
