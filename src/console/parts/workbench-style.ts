/** The style of the workbench. */
export const WORKBENCH_CSS = `
main:has(.bench){max-width:none}
.bench-open{display:flex;gap:8px;align-items:center;flex-wrap:wrap;font-size:var(--small)}
.bench-open>span{display:flex;gap:8px;align-items:center;min-width:0}
.bench-open select{flex:1 1 120px;min-width:0;max-width:240px}
.bench-open label{white-space:nowrap}
.bench-bar{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between;background:var(--ground);padding:8px 0;border-bottom:1px solid var(--line)}
.bench{display:grid;grid-template-columns:minmax(0,1fr);gap:16px;margin-top:8px}
.bench-pane{min-width:0;position:relative}
.bench button.small{padding:2px 8px;font-size:var(--small)}
.bench-pane>h2{margin:8px 0}
.bench-tabs{display:none;gap:4px;margin:8px 0 0;border:0;padding:0;min-width:0}
.bench-tabs button{flex:1;padding:7px 4px}
.bench-tabs [aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.bench textarea{width:100%}
[data-lists] .actions{margin:8px 0}
.bench [hidden]{display:none}
[data-drop]{border:1px dashed var(--quiet);border-radius:var(--radius);padding:8px 12px;background:var(--paper)}
[data-drop].over{background:var(--tint-good)}
[data-drop] input[type=file]{border:0;padding:6px 0;width:100%;height:auto;background:transparent}
.bench-problems{margin:4px 0 12px;padding:8px 12px 8px 28px;background:var(--tint-bad);border-radius:var(--radius);font-size:var(--small)}
.bench-problems li{margin:3px 0;overflow-wrap:anywhere}
.bench-record{border:1px solid var(--line);border-radius:var(--radius);background:var(--paper);padding:8px 12px;margin:0 0 12px}
.bench-record-head{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline}
.bench-record-head h3{margin:0}
.bench-record-head button{margin-left:auto}
.bench-request table{width:100%;border-collapse:collapse;font-size:var(--small)}
.bench-request th{text-align:left;font-weight:400;color:var(--quiet);padding:2px 8px 2px 0;vertical-align:top;width:42%;overflow-wrap:anywhere}
.bench-request td{padding:2px 0;overflow-wrap:anywhere}
.bench-value{border:0;background:transparent;padding:0 3px;text-align:left;font:var(--small)/1.4 var(--mono);text-decoration:underline dotted;text-underline-offset:3px;overflow-wrap:anywhere}
.bench-cells{display:grid;grid-template-columns:repeat(auto-fill,minmax(120px,1fr));gap:2px 10px;margin:4px 0;font-size:var(--small)}
.bench-cells dt{color:var(--quiet);overflow-wrap:anywhere}
.bench-cells dd{margin:0;overflow-wrap:anywhere}
.origin{background:var(--tint-wait);box-shadow:0 0 0 2px var(--wait);border-radius:3px}
.bench-lines{margin:8px 0;padding:4px 8px 4px 48px;max-height:420px;overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:6px;font:var(--small)/1.5 var(--mono)}
.bench-lines li{white-space:pre}
.bench-lines li::marker{color:var(--quiet)}
.bench-segments{margin:8px 0;padding:4px 8px 4px 44px;max-height:520px;overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:6px;font:var(--small)/1.7 var(--mono)}
.bench-segments button{border:0;border-left:1px solid var(--line);border-radius:0;background:transparent;padding:0 5px;font:inherit}
.bench-segments button:hover,.bench-segments button:focus{background:var(--tint-held)}
.bench-columns{display:flex;flex-wrap:wrap;gap:4px}
.bench-found{margin:4px 0;padding-left:18px;font-size:var(--small)}
.bench-found li{margin:4px 0;overflow-wrap:anywhere}
.bench-suggestion fieldset{border:1px solid var(--line);border-radius:var(--radius);background:var(--paper);padding:6px 12px;min-width:0}
.bench-suggestion legend{color:var(--ink);font-weight:600;padding:4px 0;float:left;width:100%}
.bench-suggestion legend+*{clear:both}
.bench-suggestion fieldset label{align-items:center;flex-wrap:wrap}
.bench-suggestion fieldset input[type=text]{height:32px;max-width:220px}
.bench-suggestion .choices label:has(input[type=radio]){flex-wrap:nowrap}
.bench-words{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:0 16px}
.bench-suggestion .bench-words label{justify-content:space-between;flex-wrap:nowrap}
.bench-suggestion .bench-words input[type=text]{width:90px;flex:none}
.bench .cm-editor{height:min(70vh,720px)}
.bench .more>ul{padding-left:18px}
[data-asked]:focus,[data-summary]:focus{outline:3px solid var(--focus);outline-offset:2px}
.bench-suggestion .bench-other{display:flex;gap:8px;align-items:center;flex-wrap:wrap}
.bench-beside{display:grid;grid-template-columns:minmax(0,1fr);gap:16px;margin-top:16px;border-top:1px solid var(--line)}
.bench-beside section{min-width:0}
.bench-beside select{flex:1 1 200px;min-width:0;max-width:520px}
@media (min-width:900px){
.bench-bar{position:sticky;top:0;z-index:3}
.bench{grid-template-columns:minmax(0,1fr) minmax(0,1.25fr) minmax(0,1.1fr);align-items:start}
.bench-pane{max-height:calc(100vh - 60px);overflow:auto;padding:0 3px}
#bench-document{position:sticky;top:56px}
}
@media (max-width:899px){.bench-open>span{flex:1 1 100%;flex-wrap:wrap}.bench-open :is(select,input){flex:1 1 100%;max-width:none}}
@media (max-width:899px) and (scripting:enabled){.bench-tabs{display:flex}.bench-pane:not(.chosen){display:none}}
`;
