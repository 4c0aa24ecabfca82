import { expect, test } from '@jest/globals';
import { drawBarChart, escapeXml } from './bar-chart.ts';

test('text of a chart is escaped', () => {
  expect(escapeXml('<a href="b">&</a>')).toBe('&lt;a href=&quot;b&quot;&gt;&amp;&lt;/a&gt;');
  const svg = drawBarChart('a & b', [{ title: 'CPU < 1 & "more"', bars: [{ label: 'A<B', value: 1, own: true }] }]);
  expect(svg).toContain('<title>a &amp; b</title>');
  expect(svg).toContain('>CPU &lt; 1 &amp; &quot;more&quot;</text>');
  expect(svg).toContain('>A&lt;B</text>');
});

test('a bar is as long as its share of the longest of its group', () => {
  const bars = [
    { label: 'half', value: 5, own: false },
    { label: 'whole', value: 10, own: true },
  ];
  const svg = drawBarChart('a', [{ title: 'one', bars }]);
  const [half, whole] = [...svg.matchAll(/width="(\d+)" height="16"/g)].map((match) => Number(match[1]));
  expect(half).toBeGreaterThan(100);
  expect(whole).toBe(2 * half!);
});
