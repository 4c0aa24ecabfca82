/** The style sheet of the HTML report. */
export const style = `
:root{--bg:#fff;--fg:#1b1f24;--quiet:#57606a;--line:#d8dee4;--soft:#f6f8fa;--pass:#116329;--fail:#b3141d;--skip:#7d4e00;--focus:#0550ae}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--quiet:#9aa4af;--line:#30363d;--soft:#161b22;--pass:#56d364;--fail:#ff7b72;--skip:#e3b341;--focus:#79c0ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1.5rem 1rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.35rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .6rem}h3{font-size:1rem;margin:1.4rem 0 .3rem}
code,pre,kbd,.id{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace}
kbd{border:1px solid var(--line);border-radius:4px;padding:0 .3rem;background:var(--soft)}
pre{margin:.4rem 0;padding:.6rem;background:var(--soft);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
.target{margin:.2rem 0;font-weight:600;overflow-wrap:anywhere}.target span,.quiet,.ms,footer,dt{color:var(--quiet);font-weight:400}
.totals{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;margin:1rem 0;padding:0}
.totals li{flex:1 1 7rem;border:1px solid var(--line);border-radius:8px;padding:.4rem .8rem}.totals b{font-size:1.6rem;display:block;line-height:1.3}
.pass b,td.pass,.pass .mark,.answered{color:var(--pass)}.fail b,td.fail,.fail .mark,.expected{color:var(--fail)}.skip b,td.skip,.skip .mark{color:var(--skip)}
.facts{margin:0;font-size:.9rem}.facts div{display:grid;grid-template-columns:8rem 1fr;gap:.5rem}.facts dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{text-align:right;padding:.3rem .5rem;border-bottom:1px solid var(--line)}
th:first-child{text-align:left;font-weight:400}thead th{color:var(--quiet);font-weight:400}tbody th div{display:grid;grid-template-columns:2.6rem 1fr}td.zero{color:var(--quiet)}
.filter{position:sticky;top:0;background:var(--bg);padding:.5rem 0;display:flex;flex-wrap:wrap;gap:.5rem;z-index:1}
input{flex:1 1 16rem;min-width:0;padding:.4rem .6rem;font:inherit;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:6px}
.buttons{display:flex;flex-wrap:wrap;gap:.3rem}
button{font:inherit;font-size:.85rem;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem;cursor:pointer}
button[aria-pressed=true]{border-color:var(--focus);box-shadow:inset 0 0 0 1px var(--focus)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.case{border-bottom:1px solid var(--line)}
summary{display:grid;grid-template-columns:1.4rem 1fr auto;column-gap:.4rem;padding:.35rem 0;cursor:pointer;list-style:none;scroll-margin-top:7rem}
summary::-webkit-details-marker{display:none}
.title{overflow-wrap:anywhere}.id{grid-column:2;color:var(--quiet);overflow-wrap:anywhere}summary .ms{grid-column:3;grid-row:1;font-size:.85rem;white-space:nowrap}
ol{margin:.2rem 0 .8rem;padding-left:1.8rem}ol li{padding:.15rem 0}
.status{display:inline-block;min-width:2.4rem;font-variant-numeric:tabular-nums}.route{overflow-wrap:anywhere;margin-right:.6rem}
.copy{margin-left:.6rem;padding:.05rem .5rem;font-size:.8rem}.curl{font-size:12px;color:var(--quiet)}
.reason{margin-left:1.8rem}footer{margin-top:2.5rem;font-size:.85rem}[hidden]{display:none!important}
@media (max-width:40rem){summary{grid-template-columns:1.4rem 1fr}summary .ms{grid-column:2;grid-row:auto}.facts div{grid-template-columns:1fr;gap:0;margin-bottom:.3rem}}
@media print{.filter,.copy{display:none}}
`;
