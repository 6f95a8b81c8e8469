import { indexChanges, isOutsideTransaction } from '@coffer/host/database/concurrent-indexes'

interface Rule {
  name: string
  /** Patterns of a statement, or of an action of ALTER TABLE on a table that existed before. */
  breaks: RegExp[]
}

const keepsUsed = 'keep what the version before uses'

const creation = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/i

const statementRules: Rule[] = [
  { name: 'build indexes CONCURRENTLY', breaks: [/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)/i] },
  { name: 'drop indexes CONCURRENTLY', breaks: [/^DROP INDEX (?!CONCURRENTLY)/i] },
  {
    name: keepsUsed,
    breaks: [
      /^(DROP (TABLE|VIEW|MATERIALIZED|FUNCTION|SEQUENCE|TYPE|SCHEMA)|TRUNCATE)\b/i,
      /^ALTER (VIEW|FUNCTION|SEQUENCE|TYPE|INDEX) .* RENAME\b/i,
    ],
  },
  { name: 'lock tables briefly', breaks: [/^(LOCK|CLUSTER|VACUUM|REINDEX|REFRESH)\b/i] },
]

const actionRules: Rule[] = [
  { name: keepsUsed, breaks: [/^(DROP (?!CONSTRAINT\b)\S|RENAME\b|SET SCHEMA\b)/i] },
  {
    name: 'give a NOT NULL column a default',
    breaks: [/^ADD (?!CONSTRAINT\b)(?!.*\bDEFAULT\b).*\bNOT NULL\b/i, /^ALTER .* SET NOT NULL$/i],
  },
  {
    name: 'do not rewrite the table',
    breaks: [
      /^ALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/i,
      /^SET (LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)\b/i,
      /^ADD .*\b((small|big)?serial|GENERATED)\b/i,
      /^ADD .*\bDEFAULT \(?(nextval|random|clock_timestamp|gen_random_uuid|uuidv\d)\(/i,
    ],
  },
  {
    name: 'add a constraint NOT VALID, and validate it in the next file',
    breaks: [
      /^ADD (?!.*\b(NOT VALID|USING INDEX)\b).*\b(CHECK \(|REFERENCES|UNIQUE|PRIMARY KEY|EXCLUDE)/i,
    ],
  },
]

/**
 * Returns the rules that a migration breaks while the version before runs: expand then contract,
 * short locks, concurrent indexes. `path` begins the lines. Tables that the file creates are free.
 */
export function migrationFaults(path: string, text: string): string[] {
  const statements = statementsOf(text)
  if (isOutsideTransaction(text)) {
    return indexChanges(text) === null ? [`${path}: has only changes of indexes CONCURRENTLY`] : []
  }
  const faults = new Set<string>()
  const made = new Set<string>()
  const altered = new Set<string>()
  for (const statement of statements) {
    const [, created] = creation.exec(statement) ?? []
    if (created !== undefined) made.add(created)
    const table = tableOf(statement)
    if (table !== null && made.has(table)) continue
    for (const rule of brokenBy(statement)) faults.add(rule)
    if (isOfRows(statement) && table !== null && altered.has(table)) {
      faults.add('change rows in a file after that of the table')
    }
    if (/^ALTER TABLE/i.test(statement) && table !== null) {
      const isScan = /VALIDATE CONSTRAINT/i.test(statement)
      if (isScan && altered.has(table)) faults.add('validate a constraint in the next file')
      altered.add(table)
    }
  }
  return [...faults].map((fault) => `${path}: ${fault}`)
}

function brokenBy(statement: string): string[] {
  const [, actions] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?\S+ (.*)$/is.exec(statement) ?? []
  if (actions === undefined) return namesOf(statementRules, statement)
  return actionsOf(actions).flatMap((action) => namesOf(actionRules, action))
}

function namesOf(rules: Rule[], text: string): string[] {
  return rules.filter(({ breaks }) => breaks.some((one) => one.test(text))).map(({ name }) => name)
}

const tableTexts = [
  /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)/i,
  /^(?:UPDATE|DELETE FROM) (?:ONLY )?(\w+)/i,
  /^CREATE (?:UNIQUE )?INDEX (?:\w+ )?ON (?:ONLY )?(\w+)/i,
]

/** Returns the table that a statement changes, or null for statements of no single table. */
function tableOf(statement: string): string | null {
  return tableTexts.flatMap((one) => one.exec(statement)?.[1] ?? [])[0] ?? null
}

function isOfRows(statement: string): boolean {
  return /^(UPDATE|DELETE)\b/i.test(statement)
}

/** Matches what may contain a semicolon or a comma: comments, texts, quoted names, bodies. */
const opaque = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$/g

/** Returns the statements of a migration in one line each, without comments and texts. */
function statementsOf(text: string): string[] {
  const plain = text.replace(opaque, (part) => (/^(--|\/\*)/.test(part) ? ' ' : "''"))
  const statements = plain.split(';').map((one) => one.replace(/\s+/g, ' ').trim())
  return statements.filter((one) => one !== '')
}

/** Splits the actions of ALTER TABLE at the commas outside brackets. */
function actionsOf(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim())
}
