import { strToU8, zipSync } from 'fflate'

/**
 * Returns an XLSX file with these sheets, each as the XML of its rows. Shared texts are `Shop & Co`
 * and `Rich text`; cell style 1 is a day, 2 a day with time, 3 a time. `hidden` is a sheet's index.
 */
export function xlsx(
  sheets: readonly string[],
  { hidden = -1, is1904 = false }: { hidden?: number; is1904?: boolean } = {},
): Uint8Array {
  const list = sheets.map((_, at) => {
    const state = at === hidden ? 'state="hidden"' : ''
    return `<sheet name="S${at}" sheetId="${at + 1}" ${state} r:id="rId${at}"/>`
  })
  const links = sheets.map(
    (_, at) => `<Relationship Id="rId${at}" Target="worksheets/s${at}.xml"/>`,
  )
  const system = is1904 ? '<workbookPr date1904="1"/>' : ''
  const rich = '<r><t>Rich </t></r><r><t>text</t></r><rPh><t>spoken</t></rPh>'
  const formats =
    '<numFmts><numFmt numFmtId="164" formatCode="[$-407]dd\\.mm\\.yyyy hh:mm;@"/></numFmts>'
  const styles =
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>' +
    '<xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="20"/></cellXfs>'
  const parts = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook>${system}<sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst><si><t>Shop &amp; Co</t></si><si>${rich}</si></sst>`,
    'xl/styles.xml': `<styleSheet>${formats}${styles}</styleSheet>`,
    ...Object.fromEntries(
      sheets.map((rows, at) => [
        `xl/worksheets/s${at}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  }
  return zipped(parts)
}

/** Returns an OpenDocument spreadsheet with one sheet, from the XML of its rows. */
export function ods(rows: string): Uint8Array {
  const sheet = `<table:table>${rows}</table:table>`
  const body = `<office:body><office:spreadsheet>${sheet}</office:spreadsheet></office:body>`
  return zipped({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content>${body}</office:document-content>`,
  })
}

function zipped(parts: Record<string, string>): Uint8Array {
  const bytes = Object.entries(parts).map(([name, text]) => [name, strToU8(text)])
  // The media type of an OpenDocument file is stored, as its first entry.
  return zipSync(Object.fromEntries(bytes), { level: 'mimetype' in parts ? 0 : 6 })
}
