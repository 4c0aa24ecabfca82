/** The style sheet of the page of operations: a side bar, what each operation is, and its requests beside it. */
export const operationsStyle = `
html { scroll-padding-top: 4.5rem; }
body > header { position: sticky; top: 0; z-index: 3; min-height: 3.5rem; background: var(--background); }
.token { display: flex; flex: 1 1 22rem; align-items: center; gap: 0.5rem; max-width: 44rem; font-size: 0.9rem; }
.token input { flex: 1; min-width: 6rem; }
.token .hint { white-space: nowrap; }
#menu-button { display: none; }

input, select, textarea {
  width: 100%;
  padding: 0.35rem 0.55rem;
  border: 1px solid var(--control);
  border-radius: 6px;
  background: var(--surface);
  color: var(--text);
  font: 0.9rem/1.5 ui-monospace, monospace;
}
textarea { resize: vertical; }
::placeholder { color: var(--text-muted); opacity: 1; }
[aria-invalid] { border-color: var(--failed); }
.fault { margin: 0.2rem 0 0; color: var(--failed); font-size: 0.9rem; }
.hint { margin: 0.1rem 0; color: var(--text-muted); font-size: 0.9rem; }
.unseen { position: fixed; top: 0; opacity: 0; pointer-events: none; }
#token-show[aria-pressed='true'] { border-color: var(--accent); color: var(--accent); }

.frame { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
#menu {
  position: sticky;
  top: 3.5rem;
  align-self: start;
  height: calc(100vh - 3.5rem);
  overflow-y: auto;
  padding: 1rem 12px 3rem 20px;
  border-right: 1px solid var(--border);
  font-size: 0.9rem;
}
.search { position: sticky; top: -1rem; margin: -1rem -12px 0 -20px; padding: 1rem 12px 0.5rem 20px; background: var(--background); }
.search label { display: flex; justify-content: space-between; align-items: center; margin-bottom: 0.3rem; color: var(--text-muted); }
.search p { margin: 0.25rem 0 0; min-height: 1.4em; color: var(--text-muted); }
kbd { padding: 0 0.4em; border: 1px solid var(--border); border-radius: 4px; font: 0.9em ui-monospace, monospace; }
#menu ul { margin: 0; padding: 0; list-style: none; }
#menu h2 { margin: 1.25rem 0 0; color: var(--text-muted); font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase; }
#menu h3 { margin: 0.8rem 0 0.2rem; font-size: 0.95rem; }
#menu a { color: inherit; text-decoration: none; }
#menu li a { display: flex; justify-content: space-between; align-items: baseline; gap: 0.5rem; padding: 0.2rem 0.5rem; border-radius: 5px; line-height: 1.35; }
#menu a:hover { color: var(--accent); }
#menu [aria-current] { background: var(--code); color: var(--accent); font-weight: 600; }

.method { flex: none; color: var(--accent); font: 700 0.7rem ui-monospace, monospace; }
.method.post, .method.put { color: var(--write); }
.method.delete { color: var(--failed); }
.route .method { padding: 0.15rem 0.4rem; border: 1px solid currentColor; border-radius: 4px; }

main { max-width: 110rem; padding: 0 clamp(16px, 3vw, 48px) 4rem; }
main .text { margin: 0; padding: 2rem 0; }
.lead { padding: 0.6rem 0.9rem; border-left: 3px solid var(--accent); background: var(--code); }
.tag > h2 { margin: 0; padding-top: 2.5rem; font-size: 1.6rem; }
.operation { padding: 2rem 0; border-top: 1px solid var(--border); }
.operation h3 { margin: 0; font-size: 1.25rem; }
.operation h3 a { color: inherit; text-decoration: none; }
.operation h3 a:hover::after { content: ' #'; color: var(--accent); }
.operation:target h3 { color: var(--accent); }
.operation h4 { margin: 1.25rem 0 0; font-size: 0.95rem; }
.route { margin: 0.4rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: 0.2rem 1.25rem; margin: 0; padding: 0; color: var(--text-muted); font-size: 0.9rem; list-style: none; }
.changes { color: var(--write); font-weight: 600; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); grid-template-rows: auto 1fr; gap: 0 2.5rem; align-items: start; }
.outcome { grid-row: 2; }
.panel { position: sticky; top: 4.5rem; grid-column: 2; grid-row: 1 / span 2; max-height: calc(100vh - 5rem); margin: 0 -4px; padding: 0 4px 4px; overflow-y: auto; }
.additions { margin-top: 0.75rem; font-size: 0.93rem; }
.additions p { margin: 0; color: var(--text-muted); font-size: 0.85rem; }
.additions ul { margin: 0; padding-left: 1.1rem; }
.field { padding: 0.5rem 0; border-top: 1px solid var(--border); }
.fields > .field:first-child { border-top: 0; }
.about { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.6rem; margin-bottom: 0.2rem; }
.about code, legend code { font-weight: 600; }
li > .type, .optional { margin-left: 0.4rem; }
.type, .optional { color: var(--text-muted); font-size: 0.85rem; overflow-wrap: anywhere; }
.required { color: var(--write); font-size: 0.85rem; }
fieldset { min-width: 0; margin: 0; padding: 0 0 0 0.9rem; border: 0; border-left: 2px solid var(--border); }
legend { margin-left: -0.9rem; padding: 0; }
.items > .fields { padding-bottom: 0.6rem; }
.items > .fields + .fields { border-top: 2px solid var(--border); }
.file { display: block; margin-top: 0.3rem; color: var(--text-muted); font-size: 0.85rem; }
.small { padding: 0.1rem 0.6rem; font-size: 0.85rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; font-size: 0.95rem; font-weight: 600; }
.answer-fields { margin: 0.3rem 0; padding-left: 0.9rem; border-left: 2px solid var(--border); list-style: none; }
.answer-fields li { padding: 0.25rem 0; }
.problems ul { margin: 0.3rem 0; padding: 0; list-style: none; }
.problems li { padding: 0.2rem 0; }
.problems details { margin-top: 0.3rem; }
.problems summary { color: var(--text-muted); font-size: 0.9rem; font-weight: 400; }
.problems .others { columns: 15rem; font-size: 0.9rem; }
.problem { text-decoration: none; }
.problem:hover { text-decoration: underline; }

.code { margin-top: 1rem; border: 1px solid var(--border); border-radius: 8px; background: var(--code); overflow: hidden; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; padding: 0.4rem 0.75rem; border-bottom: 1px solid var(--border); font-size: 0.9rem; }
.bar .copy, .sent .copy { margin-left: auto; }
.copy { padding: 0.1rem 0.6rem; font-size: 0.85rem; }
pre { margin: 0; padding: 0.75rem; overflow: auto; max-height: 28rem; font-size: 0.88rem; line-height: 1.5; }
pre code { overflow-wrap: normal; }
.languages { display: flex; gap: 0.25rem; }
.languages button { padding: 0.1rem 0.6rem; border-color: transparent; background: none; }
.languages [aria-pressed='true'] { border-color: var(--border); background: var(--surface); color: var(--accent); font-weight: 600; }
:root[data-language='curl'] [data-snippet]:not([data-snippet='curl']),
:root[data-language='typescript'] [data-snippet]:not([data-snippet='typescript']),
:root[data-language='python'] [data-snippet]:not([data-snippet='python']) { display: none; }
.send { margin-top: 0.75rem; }
.primary { padding: 0.45rem 1.5rem; border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
.primary[aria-disabled] { opacity: 0.6; }
.ok { color: var(--accent); }
.failed { color: var(--failed); }
.headers { margin: 0; padding: 0.5rem 0.75rem; gap: 0 1rem; border-bottom: 1px solid var(--border); font-size: 0.85rem; }
.headers dd { font-family: ui-monospace, monospace; }
.explained-here { margin: 0.5rem 0.75rem; font-size: 0.93rem; }
.faults { margin: 0.25rem 0 0.5rem; padding-left: 2rem; font-size: 0.93rem; }
.sent { margin: 0; padding: 0.5rem 0.75rem; border-top: 1px solid var(--border); font-size: 0.85rem; }
.sent .copy { float: right; }
.again, .next { margin: 0; padding: 0.5rem 0.75rem; border-top: 1px solid var(--border); }
.next a { display: inline-block; margin-right: 0.4rem; }
.live:not(:has(.bar)) { padding: 0.75rem; }
.key { color: var(--key); }
.string { color: var(--string); }
.number, .word { color: var(--number); }

.explained { padding: 1rem 0; border-top: 1px solid var(--border); }
.explained h3 { margin: 0; }
.explained p { margin: 0.25rem 0; }
.explained pre { border: 1px solid var(--border); border-radius: 8px; background: var(--code); white-space: pre-wrap; }
dialog { width: min(44rem, calc(100vw - 2rem)); max-height: 85vh; padding: 1.25rem; border: 1px solid var(--border); border-radius: 10px; background: var(--background); color: var(--text); overflow: auto; }
dialog .explained { padding: 0 0 1rem; border: 0; }
dialog::backdrop { background: rgb(0 0 0 / 0.45); }

@media (max-width: 75rem) {
  .columns { display: block; }
  .panel { position: static; max-height: none; }
}
@media (max-width: 55rem) {
  html { scroll-padding-top: 7rem; }
  body > header { gap: 0.3rem 0.75rem; padding: 0.4rem 16px; }
  header nav { display: none; }
  .token { order: 3; flex-basis: 100%; }
  .token .hint { display: none; }
  #menu-button { display: block; margin-left: auto; }
  #theme { margin-left: 0; }
  .frame { display: block; }
  main { padding: 0 16px 3rem; }
  input, select, textarea { font-size: 1rem; }
  .problems .others { columns: auto; }
}
@media (max-width: 55rem) {
  :root[data-scripts] #menu { position: fixed; inset: 0; top: 5.9rem; z-index: 2; align-self: stretch; height: auto; border: 0; background: var(--background); visibility: hidden; }
  :root[data-scripts][data-menu] #menu { visibility: visible; }
  :root[data-menu] main { visibility: hidden; }
  #menu li a { padding: 0.45rem 0.5rem; }
}
:root:not([data-scripts]) [data-snippet]::before { content: attr(data-label); display: block; color: var(--text-muted); }
@media (pointer: coarse) {
  button, .problem, .problems summary { min-height: 2.75rem; }
  #theme { min-width: 2.75rem; }
  .problem { display: inline-flex; align-items: center; gap: 0.4rem; }
  kbd { display: none; }
}
@media print {
  .frame { display: block; }
  #menu { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .columns { display: block; }
  .panel { position: static; max-height: none; }
  pre { max-height: none; white-space: pre-wrap; }
  .operation { break-inside: avoid-page; }
}
`.trimStart();
