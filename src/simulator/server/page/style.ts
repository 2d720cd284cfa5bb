/** Styles of the page, for light and dark mode. The page loads no other files. */
export const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#d5dae1,#3a424d);--soft:light-dark(#57606a,#9aa5b1);
--panel:light-dark(#f6f8fa,#1b2027);--page:light-dark(#fff,#12161b);--text:light-dark(#1c2128,#e2e7ec);
--accent:light-dark(#0b5cad,#6cb2f7);--bad:light-dark(#a40e26,#ff8b94);--good:light-dark(#116329,#6fdd8b)}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:76rem;padding:1.5rem 1rem 4rem;background:var(--page);color:var(--text)}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2.25rem 0 .6rem}h3{font-size:1rem;margin:0 0 .5rem}
a{color:var(--accent)}p{margin:.3rem 0}.soft{color:var(--soft)}
header{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;justify-content:space-between}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:.75rem 0 0;padding:0}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;min-width:42rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .75rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}td code{overflow-wrap:anywhere}
thead th{border-top:0;background:var(--panel);font-weight:600;white-space:nowrap}tbody th{font-weight:600}
td.number{text-align:right}th.number{text-align:right}td.narrow{width:1%;white-space:nowrap}
code{font:13px ui-monospace,monospace}
.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1rem;align-items:start}.armed{margin:1.5rem 0 .5rem}
.panel{border:1px solid var(--line);border-radius:8px;padding:1rem;background:var(--panel)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:0 0 1rem;padding:0}
.counts a{display:block;border:1px solid var(--line);border-radius:999px;padding:.15rem .8rem;text-decoration:none;background:var(--panel)}
.counts a[aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
form{margin:0}.fields{display:grid;grid-template-columns:1fr 1fr;gap:.5rem .75rem;margin:0 0 .75rem;align-items:end}.wide{grid-column:1/-1}
label{display:block;font-size:.85rem;color:var(--soft)}label.check{display:flex;gap:.5rem;align-items:center;margin:0 0 .75rem}
input:not([type=checkbox]),select,textarea{display:block;width:100%;font:inherit;color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.35rem .5rem}
button{font:inherit;cursor:pointer;color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.35rem .9rem}
button.strong{background:var(--accent);border-color:var(--accent);color:var(--page)}button.danger{border-color:var(--bad);color:var(--bad)}
button.small{padding:.05rem .5rem;font-size:.85rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{border-left:4px solid var(--good);background:var(--panel);padding:.5rem .9rem;margin:1rem 0 0}.note.wrong{border-color:var(--bad)}
details{margin:.15rem 0 0}summary{cursor:pointer;color:var(--soft);font-size:.85rem}h4{font-size:.85rem;margin:.4rem 0 .15rem}
pre{margin:0;max-height:24rem;max-width:40rem;overflow:auto;font:13px ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
textarea{font:13px ui-monospace,monospace;margin:0 0 .75rem}.change{margin:0 0 1rem}form.inline{display:inline}
.skip{position:absolute;left:-99rem}.skip:focus{position:static}
`;
