/** The console's one stylesheet, for phones first; wide screens get columns. */
export const CONSOLE_CSS = `
:root { --ink: #1b2330; --quiet: #5c6778; --line: #dfe4ea; --paper: #fff; --ground: #f5f7f9;
  --good: #1a6b3c; --busy: #1d5a96; --attention: #8a5a00; --bad: #a4262c; color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }
.bar { display: flex; justify-content: space-between; align-items: center; padding: 10px 16px; background: var(--ink); color: #fff; }
.brand { font-weight: 650; letter-spacing: .02em; }
.environment { font-size: 13px; padding: 2px 10px; border-radius: 10px; background: #3c4a5e; }
.environment.production { background: var(--bad); }
main { max-width: 960px; margin: 0 auto; padding: 16px; overflow-wrap: break-word; }
h1 { font-size: 22px; margin: 8px 0 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 28px 0 8px; }
p { margin: 4px 0; }
.id, .quiet { color: var(--quiet); font-size: 14px; }
.id { overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(140px, 1fr)); gap: 8px 16px; margin: 14px 0; }
.facts dt { color: var(--quiet); font-size: 13px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.links a { display: inline-block; margin-right: 18px; padding: 6px 0; color: var(--busy); }
.progress { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; margin: 12px 0; }
progress { width: 100%; height: 12px; accent-color: var(--good); }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(128px, 1fr)); gap: 8px; }
.count { display: block; padding: 10px 12px; background: var(--paper); border: 1px solid var(--line); border-left: 4px solid var(--quiet);
  border-radius: 6px; text-decoration: none; color: var(--ink); font-size: 14px; }
.count b { display: block; font-size: 20px; font-variant-numeric: tabular-nums; }
.count.here { outline: 2px solid var(--busy); }
.count.tone-good { border-left-color: var(--good); } .count.tone-busy { border-left-color: var(--busy); }
.count.tone-attention { border-left-color: var(--attention); } .count.tone-bad { border-left-color: var(--bad); }
strong.tone-good, .state.tone-good { color: var(--good); } strong.tone-busy, .state.tone-busy { color: var(--busy); }
strong.tone-attention, .state.tone-attention { color: var(--attention); } strong.tone-bad, .state.tone-bad { color: var(--bad); }
.rows, .problems { list-style: none; margin: 0; padding: 0; }
.row, .problems li { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; margin: 8px 0; }
.where { overflow-wrap: anywhere; min-width: 0; }
.where b { margin-right: 8px; }
.state { font-weight: 600; }
.problem, .request { margin: 6px 0; padding-left: 10px; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
.fix { color: var(--ink); background: #fff8e6; border-radius: 4px; padding: 4px 8px; }
code { font: 13px/1.4 ui-monospace, monospace; color: var(--quiet); overflow-wrap: anywhere; }
code.value { color: var(--ink); background: var(--ground); padding: 1px 5px; border-radius: 4px; white-space: pre-wrap; }
.tries { margin: 4px 0; padding-left: 24px; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 4px 0; }
.what { overflow-wrap: anywhere; min-width: 0; }
.what a, .quiet a { color: var(--busy); overflow-wrap: anywhere; }
.pages { margin-right: auto; padding-left: 20px; }
.pages a { color: #fff; margin-right: 14px; padding: 4px 0; display: inline-block; }
.changes { margin: 4px 0; padding-left: 20px; overflow-wrap: anywhere; }
.document { display: block; padding: 10px; max-height: 480px; overflow: auto; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 4px 16px 14px; margin: 16px 0; overflow-wrap: anywhere; }
.card h2 { margin-top: 12px; }
.search { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; margin: 12px 0; }
.search a { color: var(--busy); }
.search label { display: block; flex: 1 1 200px; min-width: 0; color: var(--quiet); font-size: 13px; }
.search input, .search select { display: block; width: 100%; margin-top: 2px; padding: 9px 10px; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--quiet); border-radius: 6px; }
button { padding: 10px 16px; font: inherit; color: #fff; background: var(--busy); border: 0; border-radius: 6px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--attention); outline-offset: 2px; }
main.wide { max-width: 1240px; }
.brand { color: inherit; text-decoration: none; }
.list { width: 100%; border-collapse: collapse; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; font-size: 15px; }
.list th { text-align: left; white-space: nowrap; overflow-wrap: normal; font-size: 13px; font-weight: 500; color: var(--quiet); padding: 8px 12px; border-bottom: 1px solid var(--line); }
.list td { padding: 7px 12px; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
.list tr:last-child td { border-bottom: 0; }
.list .whole { white-space: nowrap; }
.filters { margin: 8px 0 12px; } .filters summary { color: var(--busy); }
.filters .search { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); }
.list .number { text-align: right; font-variant-numeric: tabular-nums; }
.list .file a { color: var(--busy); margin-right: 8px; }
@media (max-width: 719px) { .list thead { display: none; } .list tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 8px 12px; border-bottom: 1px solid var(--line); }
  .list td { border: 0; padding: 1px 0; } .list .file { flex: 1 0 100%; } .list td[data-name]::before { content: attr(data-name) ' '; color: var(--quiet); } }
.empty { background: var(--paper); border: 1px dashed var(--line); border-radius: 8px; padding: 24px; text-align: center; color: var(--quiet); }
@media (min-width: 720px) { .facts { grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); } .row { display: grid; grid-template-columns: 120px 1fr; gap: 12px; } .where b { display: block; } }
`;
