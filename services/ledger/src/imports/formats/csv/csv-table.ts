import { say } from '@coffer/kit/reasons/reasons'
import { CsvError, parse } from 'csv-parse/sync'
import type { Unreadable } from '../statement.ts'
import { oneLine } from '../statement-rows.ts'

/** Maximum size of a row in bytes, far more than the rows of bank statements have. */
const ROW_SIZE_MAX = 100_000

/** A row of a CSV file: its cells, trimmed and on one line, and the last line of the row. */
export type CsvLine = { cells: string[]; line: number }

/**
 * Parses a CSV text (RFC 4180), and adds at most `rowsMax` rows, without blank rows, to `rows`.
 * Stops at an unreadable row and returns the reason, else null.
 */
export function readTable(
  text: string,
  { delimiter, rowsMax }: { delimiter: string; rowsMax: number },
  rows: { push: (row: CsvLine) => unknown },
): Unreadable | null {
  let ended = 0
  const keep = (cells: string[], { lines }: { lines: number }) => {
    ended = lines
    if (cells.some((cell) => cell !== '')) {
      rows.push({ cells, line: lines })
    }
    return null
  }
  try {
    parse(text, {
      delimiter,
      to: rowsMax,
      bom: true,
      max_record_size: ROW_SIZE_MAX,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      cast: bareCell,
      on_record: keep,
    })
    return null
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines: line = 1 } = error as { lines?: number }
    const open = openQuote(text, { from: ended, delimiter })
    const isLong = error.code !== 'CSV_QUOTE_NOT_CLOSED'
    const isWhole = open === null || (isLong && open === line)
    return {
      unreadable: isWhole ? say('ROW_TOO_LONG', { line }) : say('QUOTES_OPEN', { line: open }),
    }
  }
}

/**
 * Returns the line, after the first `from` lines, of a quote that is never closed, else null. The
 * parser's own error has only the line where it stopped.
 */
function openQuote(
  text: string,
  { from, delimiter }: { from: number; delimiter: string },
): number | null {
  let open: number | null = null
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (index < from) continue
    let isStart = open === null
    for (let at = 0; at < line.length; at += 1) {
      const isQuote = line[at] === '"'
      if (open === null) {
        if (isStart && isQuote) open = index + 1
        isStart = line[at] === delimiter
      } else if (isQuote && line[at + 1] === '"') {
        at += 1
      } else if (isQuote) {
        open = null
      }
    }
  }
  return open
}

/**
 * Returns a cell on one line. Removes quotes that the parser keeps: double quotes after a blank,
 * single quotes, and those of `="12"`, which makes spreadsheets read 12 as a text.
 */
function bareCell(cell: string): string {
  const text = oneLine(cell)
  if (text.endsWith("'")) return /^'([^']+)'$/.exec(text)?.[1]?.trim() ?? text
  if (!text.endsWith('"')) return text
  const [, inside] = /^=?"((?:[^"]|"")*)"$/.exec(text) ?? []
  return inside === undefined ? text : inside.replaceAll('""', '"').trim()
}
