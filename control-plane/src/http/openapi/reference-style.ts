/**
 * Style sheet on top of that of Swagger UI: header and colours of this project (the original ones have too little
 * contrast for text), room on a phone, the overview in columns. Its rules for dark pages apply when the script sets
 * their class.
 */
export const referenceStyle = `
.note { max-width: var(--width); margin: 0 auto; padding: 1rem 1.25rem 0; color: var(--muted); }
html.dark-mode, html.dark-mode .swagger-ui { background: var(--ground); }
#reference .wrapper { max-width: var(--width); padding: 0 1.25rem; }
#reference .swagger-ui, #reference .info p, #reference .opblock-description p { color: var(--text); }
#reference a, #reference .info a, #reference .link { color: var(--link); text-decoration: underline; transition: none; }
#reference a.nostyle { color: inherit; text-decoration: none; }
#reference :is(button, a, select, input, textarea, summary):focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }

footer.attribution { max-width: var(--width); margin: 0 auto; padding: 1rem 1.25rem 2rem; color: var(--muted); font-size: var(--small); }

#reference .info { margin: 1.5rem 0; }
#reference .info hgroup { margin: 0 0 .75rem; }
#reference .info .title { font-size: var(--display); color: var(--text); }
#reference .info .title small { background: var(--muted); }
#reference .info .title small.version-stamp { background: var(--good); }
#reference .info .title small pre { color: var(--ground); }
#reference .info .info__description .renderedMarkdown { columns: 24rem; column-gap: 2.5rem; }
#reference .info h2 { margin: 1.1rem 0 .3rem; font-size: var(--large); color: var(--text); break-after: avoid; }
#reference .info p { margin: 0 0 .6rem; font-size: var(--small); line-height: 1.55; break-inside: avoid; }
#reference :is(.renderedMarkdown, .markdown) code { background: var(--raised); color: inherit; font-weight: 500;
  padding: .05rem .3rem; overflow-wrap: anywhere; }
#reference .info :is(.info__contact, .info__license, .info__extdocs) { display: inline-block; margin: .5rem 1.5rem 0 0; }

#reference .scheme-container { position: sticky; top: 0; z-index: 2; margin: 0 0 1rem; padding: .6rem 0; box-shadow: none;
  background: var(--ground); border-bottom: 1px solid var(--line); }
/* there is one server: this one */
#reference .scheme-container .schemes-server-container { display: none; }
#reference .scheme-container .schemes { justify-content: flex-end; }
#reference .btn { color: var(--text); border-color: var(--muted); box-shadow: none; background: transparent; }
#reference .btn.authorize { color: var(--good); border-color: var(--good); }
#reference .btn.authorize svg { fill: var(--good); color: var(--good); }
#reference .btn.cancel { color: var(--bad); border-color: var(--bad); background: transparent; }
#reference .btn.execute { background: #0b5cad; border-color: #0b5cad; color: #fff; }

#reference :has(.operation-filter-input:not(:placeholder-shown)) > main .webhooks-container { display: none; }
#reference .filter { max-width: var(--width); padding: 0 1.25rem; margin: 0 auto 1rem; border: 0; }
#reference .filter .operation-filter-input { width: 100%; max-width: none; margin: 0; padding: .6rem .75rem; font-size: 1rem; color: var(--text);
  background: var(--ground); border: 1px solid var(--muted); border-radius: 6px; }
#reference .authorization__btn svg { fill: var(--muted); }
#reference .authorization__btn.given svg { fill: var(--good); }
#reference details.common, #reference td.common { font-size: var(--small); color: var(--text); }
#reference td.common { padding: .15rem 0; }
#reference .common summary { cursor: pointer; color: var(--link); overflow-wrap: anywhere; }

#reference .opblock-tag { color: var(--text); border-color: var(--line); font-size: var(--title); }
#reference .opblock-tag small { color: var(--muted); font-size: var(--small); }
#reference .opblock { background: var(--raised); border-color: var(--line); box-shadow: none; margin: 0 0 .5rem; }
#reference .opblock .opblock-summary { border-color: var(--line); }
#reference .opblock .opblock-section-header { background: var(--ground); box-shadow: none; border: 0 solid var(--line);
  border-width: 1px 0; min-height: 0; padding: .5rem 1.25rem; }
#reference .opblock .opblock-section-header :is(h4, label) { color: var(--text); }
#reference .opblock .tab-header .tab-item.active h4 span::after { background: var(--link); }
#reference .opblock .opblock-summary-method { color: #fff; text-shadow: none; min-width: 5rem; background: var(--method); }
#reference .opblock { --method: #5b6570; }
#reference .opblock-get { --method: #0b5cad; }
#reference .opblock-post { --method: #17703a; }
#reference .opblock-patch { --method: #8a5a00; }
#reference .opblock-delete { --method: #b42318; }
#reference .opblock :is(.opblock-summary-path, .opblock-summary-description) { color: var(--text); }
#reference :is(.opblock-description-wrapper, .opblock-external-docs-wrapper) { padding: 1rem 1.25rem 0; }
#reference :is(.opblock-description-wrapper, .opblock-external-docs-wrapper) p { font-size: var(--small); line-height: 1.55;
  max-width: 60rem; margin: 0 0 .6rem; }

#reference :is(.parameter__name, .parameter__type, .parameter__in, .response-col_status, .response-col_links, .tab li,
  .col_header, .response-control-media-type__accept-message, .response-control-media-type__title, .response-controls small,
  .responses-inner :is(h4, h5), .request-url pre, label) { color: var(--text); }
#reference :is(.parameters-col_description, .headers) :is(p, td) { color: var(--text); font-size: var(--small); margin: 0 0 .4rem; }
#reference .parameter__in { color: var(--muted); }
#reference .parameter__name.required::after, #reference .parameter__name.required span { color: var(--bad); }
#reference .response-control-media-type__accept-message { color: var(--good); }
#reference .response-control-media-type--accept-controller select { border-color: var(--good); }
#reference :is(select, input[type=text], textarea) { max-width: 100%; font-size: var(--small); }
#reference :is(table thead tr td, table thead tr th) { color: var(--muted); border-color: var(--line); }
#reference table.responses-table tbody tr.response td { border-top: 1px solid var(--line); padding-top: .75rem; }
#reference .response-col_description__inner :is(p, li) { font-size: var(--small); margin: 0; }
#reference .response-col_description__inner ul { margin: 0 0 .5rem; padding-left: 1.1rem; }
#reference .headers td, #reference .headers td p { font-family: inherit; font-weight: 400; padding-top: .3rem; }
#reference .headers .header-col:first-child { font-weight: 600; }
#reference textarea.body-param__text { min-height: 8rem; field-sizing: content; }
#reference .response.folded :is(.response-controls, .model-example, .response__extension), #reference .response.folded
  .response-col_description > :not(.response-col_description__inner) { display: none; }
#reference .fold { font: var(--small) system-ui, sans-serif; color: var(--link); background: none; border: 0; padding: 0 0 .75rem;
  cursor: pointer; text-decoration: underline; }
/* which response links to which operation: we say that in words */
#reference .response-col_links { display: none; }
#reference :is(.microlight, .highlight-code > pre, .curl) { background: #14171b !important; color: #e6e9ed !important;
  border-radius: 6px; }
#reference :is(.download-contents, .copy-to-clipboard) { background: #454d57; color: #fff; }
#reference .model-box, #reference section.models { background: var(--raised); border-color: var(--line); }
#reference .dialog-ux .modal-ux { background: var(--ground); border: 1px solid var(--line); max-width: min(40rem, 94vw);
  min-width: 0; }
#reference .dialog-ux .modal-ux :is(h2, h3, h4, p, label, code) { color: var(--text); }
#reference .dialog-ux .backdrop-ux { background: rgb(0 0 0 / 60%); }
#reference .auth-container input[type=text], #reference .auth-container input[type=password] { width: 100%; min-width: 0; }

@media (max-width: 48rem) {
  #reference .scheme-container { position: static; }
  #reference .opblock-tag { flex-wrap: wrap; }
  #reference .opblock-tag small { flex-basis: 100%; padding: 0; }
  #reference .opblock-tag .expand-operation { position: absolute; right: 0; top: .6rem; }
  #reference .opblock-tag { position: relative; }
  #reference .opblock .opblock-summary-method { align-self: flex-start; min-width: 4.2rem; padding: 4px 0; font-size: var(--small); }
  #reference .opblock-summary-control { align-items: flex-start; gap: .6rem; text-align: left; min-width: 0; }
  #reference .opblock-summary-path-description-wrapper { display: block; padding: 0; min-width: 0; flex: 1; }
  #reference .opblock-summary-path { display: block; max-width: none; word-break: break-word; padding: 0; }
  #reference .opblock-summary-description { display: block; padding: 0; }
  #reference .opblock-summary .view-line-link { display: none; }
  #reference .headers :is(thead, .header-col:last-child) { display: none; }
  #reference .headers td { border: 0 !important; padding: 0; }
  #reference :is(.parameters, .responses-table) :is(tbody, tr, td) { display: block; width: auto; max-width: 100%; }
  #reference :is(.parameters, .responses-table) thead { display: none; }
  #reference :is(.parameters, .responses-table) { display: block; width: 100%; }
  #reference .parameters-col_description input { width: 100%; }
  #reference .parameter__name { padding: 0; }
  #reference .opblock-section-header { flex-wrap: wrap; gap: .5rem; }
  #reference .table-container { padding: .5rem .75rem; overflow: hidden; }
  #reference .responses-inner { padding: .75rem; }
}
`;
