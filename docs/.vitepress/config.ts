import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

const root = join(import.meta.dirname, '../..');
const others = ['CHANGELOG', 'CONTRIBUTING', 'SECURITY'];

/** The pages of a folder, by their titles. */
const list = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((file) => {
      const [, title = file] = /^# (.*)/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
      return { text: title, link: `/${file.replace(/\.md$/, '')}` };
    })
    .toSorted((a, b) => a.text.localeCompare(b.text));

/** The site that `npm run docs` builds, in `docs/.vitepress/dist`. */
export default defineConfig({
  title: 'Puente',
  lang: 'en',
  srcDir: root,
  srcExclude: ['{adapters,config,deploy,examples,node_modules,src,templates,test}/**'],
  outDir: join(root, 'docs/.vitepress/dist'),
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  // Links to code are for readers of a clone. test/docs.test.ts checks every link.
  ignoreDeadLinks: true,
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      { text: 'Puente', items: [{ text: 'README', link: '/' }, ...others.map((text) => ({ text, link: `/${text}` }))] },
      { text: 'Tutorials', items: list('docs/tutorials/**/*.md') },
      { text: 'How-to guides', items: list('docs/how-to/**/*.md') },
      { text: 'Reference', items: list('docs/reference/**/*.md') },
      { text: 'Explanation', items: list('docs/explanation/*.md') },
      { text: 'Decisions', items: list('docs/explanation/decisions/*.md') },
    ],
  },
});
