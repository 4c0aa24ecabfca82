/** The exit code of a command that runs without a terminal, and what it printed. */
export async function readPrinted(
  run: (output: {
    readonly paint: (style: unknown, text: string) => string;
    readonly print: (text: string) => void;
  }) => Promise<number>,
) {
  let printed = '';
  const code = await run({
    paint: (_style, text) => text,
    print: (text) => {
      printed += text;
    },
  });
  return { code, printed };
}
