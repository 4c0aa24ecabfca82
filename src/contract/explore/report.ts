import type { Exploration, Finding } from './explore.ts';

/** What exploring came to, as plain text that says how to do it once more. */
export function formatExploration(result: Exploration): string {
  const { seed, played, sequences, requests, findings, left, interrupted, stopped, ms } = result;
  const stays = Object.entries(left).flatMap(([what, count]) => (count > 0 ? [`${count} ${toWords(what)}`] : []));
  return [
    ...findings.flatMap((finding) => [...formatFinding(finding), '']),
    `Explored ${played} of ${sequences} sequences with seed ${seed}: ${requests} requests in ${(ms / 1000).toFixed(1)} s.`,
    `Broken promises: ${findings.length}.`,
    ...(interrupted > 0
      ? [`${interrupted} sequences ended early, because the subject was too busy or did not answer.`]
      : []),
    ...(stopped === undefined ? [] : [`Not everything was explored: ${stopped}.`]),
    ...(stays.length > 0 ? [`What stays: ${stays.join(', ')}.`] : []),
    '',
  ].join('\n');
}

const formatFinding = ({ title, promise, message, seed, curl }: Finding): string[] => [
  `✗ ${title} [explore.${promise}]`,
  `    ${message}`,
  `    seed ${seed}; the shortest sequence that shows it:`,
  ...curl.map((line) => `    ${line}`),
];

const toWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
