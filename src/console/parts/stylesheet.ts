/** The one stylesheet of the console: phones first, wide screens get the navigation at the side. */
import { TOKENS_CSS } from './tokens.ts';
import { WORKBENCH_CSS } from './workbench-style.ts';

const BASE = `
*{box-sizing:border-box}
html{overflow-y:scroll}
body{margin:0;background:var(--ground);color:var(--ink);font:var(--text)/1.45 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:var(--large);line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:17px;line-height:1.3;margin:28px 0 8px}
h3{font-size:var(--text);margin:16px 0 4px}
p{margin:4px 0}
a{color:var(--accent)}
time{white-space:nowrap}
code,.id{font:var(--small)/1.4 var(--mono);overflow-wrap:anywhere}
.id{white-space:nowrap}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;background:var(--paper);padding:8px 12px;z-index:9}
.quiet{color:var(--quiet);font-size:var(--small)}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.only-read{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

const FRAME = `
.top{min-height:55px;display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;padding:8px 16px;background:var(--paper);border-bottom:1px solid var(--line)}
.brand{font-weight:680;color:var(--ink);text-decoration:none;letter-spacing:.01em}
.switch{display:flex;border:1px solid var(--line);border-radius:var(--radius);overflow:hidden;font-size:var(--small)}
.switch a,.switch span{padding:4px 10px;text-decoration:none;color:var(--quiet)}
.switch [aria-current]{background:var(--sunken);color:var(--ink);font-weight:600}
.switch .production[aria-current]{background:var(--tint-bad);color:var(--bad)}
.find{flex:1 1 180px;max-width:420px}
.find input{width:100%}
.person{margin-left:auto;display:flex;align-items:center;gap:12px;font-size:var(--small)}
.person form{display:inline}
.side{background:var(--paper);border-bottom:1px solid var(--line)}
.side summary{padding:10px 16px;cursor:pointer;font-weight:600}
.side ul{list-style:none;margin:0;padding:0 8px 8px}
.side h2{font-size:12px;font-weight:600;color:var(--quiet);margin:12px 8px 2px}
.side a{display:flex;justify-content:space-between;padding:6px 8px;border-radius:6px;color:var(--ink);text-decoration:none}
.side a:hover{background:var(--sunken)}
.side a[aria-current]{background:var(--sunken);font-weight:600}
main{padding:20px 16px 64px;max-width:1400px;min-width:0}
main.wide{max-width:1800px}
main>p,main>div>p,main section>p{max-width:80ch}
.heading{display:flex;flex-wrap:wrap;align-items:flex-start;justify-content:space-between;gap:8px 24px;margin-bottom:8px}
.heading>a:not(.button){align-self:flex-end;margin-bottom:8px}
.crumbs{font-size:var(--small);margin:0 0 4px}
@media (min-width:880px){
.whole{display:grid;grid-template-columns:var(--side) minmax(0,1fr);min-height:calc(100vh - 57px)}
.side{border-bottom:0;border-right:1px solid var(--line);padding-top:8px}
.side summary{display:none}
main{padding:24px 32px 64px}
.filter-box>summary{display:none}
}
/* Closed on a phone before the script has run: closing them afterwards would move the page. */
@media (max-width:879px) and (scripting:enabled){
.side:not([data-ready])>nav,.filter-box:not([data-open]):not([data-ready])>form{display:none}
}
@media (scripting:enabled){.copy[hidden]{display:inline-block;visibility:hidden}}
`;

const PARTS = `
.actions{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.button,button{display:inline-block;font:inherit;padding:7px 14px;border-radius:6px;border:1px solid var(--line);background:var(--paper);color:var(--ink);text-decoration:none;cursor:pointer}
.button:hover,button:hover{background:var(--sunken)}
.button.primary,button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.button.danger,button.danger{border-color:var(--bad);color:var(--bad)}
button:disabled,button.primary:disabled{background:var(--sunken);border-color:var(--line);color:var(--quiet);cursor:default}
.button.small{padding:3px 9px;font-size:var(--small)}
progress{display:block;width:100%;height:12px;accent-color:var(--accent)}
.check-all{display:flex;gap:6px;align-items:center;margin-right:12px}
.plain,button.plain{border:0;background:none;padding:0;color:var(--accent);text-decoration:underline}
.state{font-weight:600;overflow-wrap:normal}
.state .wraps{white-space:normal;font-weight:400;color:var(--ink)}
.state::before{content:attr(data-shape);margin-right:6px}
.good{color:var(--good)}.bad{color:var(--bad)}.wait{color:var(--wait)}.held{color:var(--held)}.done{color:var(--done)}
.card{background:var(--paper);border:1px solid var(--line);border-radius:var(--radius);padding:12px 16px;margin:12px 0;overflow-wrap:anywhere}
.card>h2:first-child{margin-top:4px}
.note{border-left:4px solid var(--line);background:var(--paper);padding:10px 14px;margin:10px 0;border-radius:4px;overflow-wrap:anywhere}
.note.bad{border-left-color:var(--bad);background:var(--tint-bad);color:var(--ink)}
.note.wait{border-left-color:var(--wait);background:var(--tint-wait);color:var(--ink)}
.note.good{border-left-color:var(--good);background:var(--tint-good);color:var(--ink)}
.note.held{border-left-color:var(--held);background:var(--tint-held);color:var(--ink)}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(176px,calc(50% - 10px)),1fr));gap:8px 20px;margin:12px 0}
.facts dt{color:var(--quiet);font-size:var(--small)}
.facts dd{margin:0;overflow-wrap:anywhere}
.facts .wide{grid-column:span 2}
.facts .wide a{white-space:nowrap}
.tiles[hidden]{display:none}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(130px,1fr));gap:8px;margin:12px 0;padding:0;list-style:none}
.tile{display:block;height:100%;background:var(--paper);border:1px solid var(--line);border-radius:var(--radius);padding:8px 12px;color:var(--ink);text-decoration:none}
.tile b{display:block;font-size:20px;font-variant-numeric:tabular-nums}
.tile[aria-current]{outline:2px solid var(--accent)}
.stack{display:block;width:100%;height:10px;border-radius:5px;background:var(--sunken);overflow:hidden}
.stack .good{fill:var(--good)}.stack .bad{fill:var(--bad)}.stack .wait{fill:var(--wait)}.stack .held{fill:var(--held)}.stack .done{fill:var(--done)}
.stack.small-stack{display:inline-block;width:84px;height:8px;margin-right:6px;vertical-align:middle}
.empty{border:1px dashed var(--line);border-radius:var(--radius);background:var(--paper);padding:28px 20px;text-align:center;color:var(--quiet)}
.empty p{margin-inline:auto}
.pager{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin:12px 0}
.value{background:var(--sunken);border-radius:4px;padding:1px 5px;white-space:pre-wrap;color:var(--ink)}
pre{background:var(--sunken);border-radius:6px;padding:10px 12px;margin:6px 0;overflow:auto;max-height:420px;font:var(--small)/1.45 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
pre.source{counter-reset:line;padding:8px 0;margin:0;white-space:pre;overflow-wrap:normal;overflow:visible;max-height:none;width:max-content;min-width:100%}
.source-box{overflow:auto;max-height:520px;border:1px solid var(--line);border-radius:6px;margin:6px 0;background:var(--sunken)}
.source-line{display:block;padding-right:12px}
.source-line::before{counter-increment:line;content:counter(line);display:inline-block;width:4ch;margin-right:14px;text-align:right;color:var(--quiet)}
.source-line:target{background:var(--tint-wait)}
.columns{display:grid;gap:16px;grid-template-columns:minmax(0,1fr)}
@media (min-width:880px){.columns.two{grid-template-columns:repeat(2,minmax(0,1fr))}.columns.three{grid-template-columns:repeat(3,minmax(0,1fr))}}
.changed{animation:changed 1.6s ease-out}
@keyframes changed{from{background:var(--tint-wait)}to{background:transparent}}
@media (prefers-reduced-motion:reduce){.changed{animation:none}}
.menu{position:relative}
.menu>summary{list-style:none}
.menu>summary::after{content:" ▾"}
.menu>ul{position:absolute;right:0;z-index:5;min-width:230px;margin:4px 0 0;padding:6px;list-style:none;background:var(--paper);border:1px solid var(--line);border-radius:var(--radius)}
.menu>ul a{display:block;padding:6px 8px}
@media (max-width:719px){.menu>ul{right:auto;left:0}}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0 0;padding:0;list-style:none;font-size:var(--small)}
.attempt{border-left:3px solid var(--line);padding-left:10px;margin:6px 0;overflow-wrap:anywhere}
.lost{display:none}
.lost.shown{display:block}
.said{position:fixed;z-index:6;inset:auto 12px 12px;max-width:560px;margin-inline:auto}
.said .note{margin:8px 0 0;border:1px solid var(--line);border-left-width:4px}
.either{display:grid;min-height:48px;margin:10px 0}
.either>*{grid-area:1/1;margin:0;align-self:start}
.either>[hidden]{display:block;visibility:hidden}
@media (scripting:none){.either>.scripted{display:none}}
.steady td .state{display:inline-block;min-width:17ch}
@media (max-width:719px){.either{min-height:88px}.follows{min-height:2lh}}
.heading>h2+a{align-self:flex-end}
.chart{margin:12px 0}
.chart .plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 8px;margin:6px 0}
.chart .plot svg{display:block;width:100%;height:96px}
.chart .good,.swatch .good{fill:var(--good)}.chart .bad,.swatch .bad{fill:var(--bad)}.chart line{stroke:var(--line)}
.chart .swatch{width:14px;height:12px;vertical-align:-1px}
.chart .scale{display:flex;flex-direction:column;justify-content:space-between;height:96px;text-align:right;line-height:1;font-variant-numeric:tabular-nums}
.chart .scale,.chart figcaption{color:var(--quiet);font-size:12px}
.chart figcaption{grid-column:2;display:flex;justify-content:space-between;gap:8px;margin-top:2px}
.tabs{display:flex;gap:4px 16px;flex-wrap:wrap;font-size:var(--small);margin:8px 0}
.tabs [aria-current]{font-weight:600;color:var(--ink);text-decoration:none}
.copy{border:0;background:none;padding:0 4px;color:var(--accent);font-size:var(--small)}
`;

const TABLE = `
.scroll{overflow-x:auto;background:var(--paper);border:1px solid var(--line);border-radius:var(--radius);margin:8px 0}
.more-facts{display:none}
table{width:100%;border-collapse:collapse;font-size:14px}
caption{text-align:left;padding:8px 12px;color:var(--quiet);font-size:var(--small)}
th{text-align:left;font-size:var(--small);font-weight:600;color:var(--quiet);padding:7px 12px;border-bottom:1px solid var(--line);white-space:nowrap}
th.number{text-align:right}
td{padding:6px 12px;height:var(--row);border-bottom:1px solid var(--line);vertical-align:baseline;overflow-wrap:anywhere}
td>.button{padding:2px 10px}
tbody tr:last-child td{border-bottom:0}
tr.opened td{border-bottom:0;height:auto}
tr[data-row]:hover td{background:var(--ground)}
tr[data-row].at td{box-shadow:inset 3px 0 0 var(--accent)}
td.whole-word,.unbroken,time{white-space:nowrap}
td.whole-word>time{display:inline-block;min-width:11ch}
::placeholder{color:var(--quiet);opacity:1}
td.main,td.words{min-width:150px}
.audit table{table-layout:fixed}
.audit th:nth-child(1){width:13ch}
.audit th:nth-child(2){width:22%}
.audit th:nth-child(4){width:26%}
.audit td.whole-word{white-space:normal}
td.title{width:46%}
tr.detail>td{padding:0 12px 8px}
td.line{max-width:0;width:24%}
td.line:last-child{width:60%}
td.line:not(:last-child)>div{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
td.line .value,td.whole-word .value{white-space:nowrap}
table.cells{font-size:var(--small);border:1px solid var(--line)}
table.cells th,table.cells td{padding:3px 8px;height:auto;white-space:pre-wrap;overflow-wrap:anywhere;border-bottom:1px solid var(--line)}
table.cells tr.wrong td{background:var(--tint-bad)}
@media (max-width:719px){
table.list thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.list,table.list tbody{display:block}
table.list tr{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 12px;padding:8px 12px;border-bottom:1px solid var(--line)}
table.list td{border:0;padding:1px 0;height:auto}
table.list td.line{flex:1 0 100%;width:auto;max-width:none}
table.list td.line>div{display:inline}
table.list td.main{flex:1 0 100%;font-weight:600}
table.list tr.detail>td{flex:1 0 100%;font-weight:400}
table.list td[data-name]:not(.main)::before{content:attr(data-name) " ";color:var(--quiet);font-size:12px}
table.list td:empty{display:none}
.more-facts{display:flex;gap:8px;align-items:baseline;padding:8px 12px;border-bottom:1px solid var(--line)}
.long:not(:has(.more-facts :checked)) td.minor{display:none}
table.list td.whole-word{white-space:normal}
table.list td.whole-word>time{min-width:0}
table.list td.main .quiet{font-weight:400}
table.list tr.opened{border-bottom:0;padding-bottom:0}
table.list tr.detail{padding-top:2px}
table.list table.cells{display:table}
table.list table.cells tbody{display:table-row-group}
table.list table.cells tr{display:table-row}
table.list table.cells td{padding:3px 8px;border-bottom:1px solid var(--line)}
}
`;

const MAP = `
.map{display:block;width:100%;max-width:600px;height:auto;background:var(--sunken);border:1px solid var(--line);border-radius:var(--radius)}
.map .way{fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round}
.map .point{fill:var(--accent)}
.map .first{fill:var(--paper);stroke:var(--accent);stroke-width:3}
.map .last{fill:var(--accent);stroke:var(--paper);stroke-width:2}
.map .stop circle{fill:var(--ink);stroke:var(--paper);stroke-width:2}
.map .stop text{fill:var(--paper);font-size:15px;font-weight:700}
`;

const LISTS = `
.more summary{color:var(--quiet);font-size:var(--small)}
.more[open] summary{margin-bottom:6px}
.beside:not([open]){display:inline-block;margin-left:8px}
.calls{margin:4px 0 8px;padding-left:22px}
.calls li{margin:4px 0}
.calls pre{max-height:180px}
code.at{font-size:var(--small);color:var(--quiet);overflow-wrap:anywhere}
.changes{margin:4px 0;padding:0;list-style:none}
.changes li{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:baseline;padding:2px 0}
.changes .mark{font-weight:700;width:1em}
.changes .added .mark{color:var(--good)}.changes .removed .mark{color:var(--bad)}.changes .changed-field .mark{color:var(--wait)}
.finders{display:grid;gap:0 24px;grid-template-columns:repeat(auto-fit,minmax(260px,1fr))}
.finders form{display:flex;gap:8px;align-items:end;flex-wrap:wrap}
.finders .field{flex:1 1 160px}
.finders button{margin-bottom:10px}
`;

const FORMS = `
.field{margin:10px 0}
.field label{display:block;color:var(--quiet);font-size:var(--small)}
.field input:not([type=checkbox]),.field select,.field textarea{display:block;width:100%;margin-top:3px}
.field.check{display:grid;grid-template-columns:auto 1fr;gap:0 8px;align-items:center}
.field.check label{color:var(--ink);font-size:var(--text)}
.field.check .hint{grid-column:2}
input,select,textarea{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--quiet);border-radius:6px;padding:6px 10px;height:38px}
input[type=checkbox],input[type=radio]{height:auto}
textarea{font-family:var(--mono);font-size:var(--small);height:auto;min-height:84px}
textarea.tall{min-height:380px}
.hint{display:block;font-size:12px;color:var(--quiet);margin-top:6px}
.filter-box>summary{padding:6px 0;color:var(--accent)}
.filters{display:flex;flex-wrap:wrap;gap:0 12px;align-items:end;margin:8px 0}
.filters .field{margin:4px 0;flex:1 1 125px;max-width:240px}
.filters.roomy .field{flex-basis:320px;max-width:100%}
.filters .field select{width:auto;min-width:100%;max-width:100%}
.filters .actions{padding-bottom:4px}
.choices{border:0;margin:10px 0;padding:0}
.choices legend{color:var(--quiet);font-size:var(--small);padding:0}
.choices label{display:flex;align-items:baseline;gap:8px;color:var(--ink);font-size:var(--text);margin:6px 0}
.kinds{margin:8px 0 16px}
.kinds>summary{color:var(--accent);padding:6px 0}
.kind{display:flex;gap:4px 16px;justify-content:space-between;align-items:baseline}
.kind label{align-items:baseline}
.kind>a{white-space:nowrap}
.drop{border:2px dashed var(--quiet);border-radius:var(--radius);background:var(--paper);padding:24px 20px;margin:12px 0}
.drop.over{border-color:var(--accent);background:var(--sunken)}
.drop label{display:block;margin-bottom:8px}
.drop input{max-width:100%;height:auto;border:0;padding:6px 0}
.fix-fields{display:flex;flex-wrap:wrap;gap:4px 16px}
.fix-fields .field{flex:1 1 200px;max-width:420px;margin:4px 0}
.fix-fields input[aria-invalid=true]{border-color:var(--bad)}
.fix-fields input[type=checkbox]{display:inline;width:auto;height:auto;margin:0 4px 0 0}
.fix-row{font-weight:400}
.fix-where{display:inline-block;max-width:190px;white-space:normal;vertical-align:top}
.fix-fields .same{margin-top:6px}
.fix-fields .same[hidden]{display:none}
.problem{color:var(--bad)}
.problem:empty{display:none}
progress{width:min(420px,100%);height:12px;accent-color:var(--accent);vertical-align:middle}
.entry{border-bottom:1px solid var(--line);padding:8px 0}
.entry>summary>div{display:inline-block;width:100%;padding-left:18px}
h1+p,h1+.empty{margin-top:8px}
.narrow{max-width:560px}
main.narrow{margin-inline:auto}
summary{cursor:pointer}
`;

export const CONSOLE_CSS = `${TOKENS_CSS}${BASE}${FRAME}${PARTS}${TABLE}${MAP}${LISTS}${FORMS}${WORKBENCH_CSS}`;
