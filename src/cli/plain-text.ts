/** Without what could control a terminal: patients and other systems may have written anything. */
export const toPlainText = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
