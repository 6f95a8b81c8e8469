import { ChoiceField } from '../../controls/field.tsx'
import { importWords as words } from '../../words/imports.ts'
import { type Coded, wordsOf } from '../../words/refusals.ts'
import styles from './imports.module.css'

/** A choice that the server made to read a file, and the reason. */
interface Made {
  choice: string
  value: string
  reason: string
  codedReason?: Coded | undefined
}

/** Choices of the user that replace those of the server, in the format of the API. */
export interface Choices {
  encoding?: string
  delimiter?: ',' | ';' | '|' | '\t'
  decimalMark?: '.' | ','
  dayFirst?: boolean
  minusReverses?: boolean
  statement?: string
}

interface Props {
  made: readonly Made[]
  onChange: (choice: Choices) => void
}

const encodings =
  'utf-8 windows-1252 windows-1250 windows-1251 windows-1253 windows-1254 windows-1257 ' +
  'iso-8859-2 iso-8859-15 shift_jis euc-kr gb18030 big5 utf-16le'

/** Texts of the values of each choice; encodings are shown by their names. */
const values: Record<string, Record<string, string>> = {
  encoding: Object.fromEntries(encodings.split(' ').map((name) => [name, name])),
  delimiter: words.delimiters,
  decimalMark: words.marks,
  dayFirst: words.orders,
  minusReverses: words.minuses,
}

/** Summary of the choices by which a file was read; when opened, a field for each. */
export function ReadChoices({ made, onChange }: Props) {
  const known = made.filter(({ choice }) => choice in values)
  if (known.length === 0) return null
  return (
    <details className={styles.soft}>
      <summary>{words.readAs({ how: known.map(summaryOf).join(', ') })}</summary>
      <div className={`${styles.pair} ${styles.opened}`}>
        {known.map((one) => (
          <ChoiceField
            key={one.choice}
            label={words.choices[one.choice] ?? one.choice}
            hint={one.reason === '' ? '' : wordsOf(one.reason, one.codedReason)}
            value={one.value}
            options={optionsOf(one)}
            onChange={(value) => onChange(choiceOf(one.choice, value))}
          />
        ))}
      </div>
    </details>
  )
}

/** Returns the text of a choice that is understandable without a label. */
function summaryOf(made: Made): string {
  const name = shownOf(made)
  if (made.choice === 'encoding') return words.encodingOf({ name })
  return made.choice === 'delimiter' ? words.delimiterOf({ name }) : name
}

function shownOf({ choice, value }: Made): string {
  return values[choice]?.[value] ?? value
}

function optionsOf(made: Made) {
  const texts = { [made.value]: shownOf(made), ...values[made.choice] }
  return Object.entries(texts).map(([value, text]) => ({ value, text }))
}

function choiceOf(choice: string, value: string): Choices {
  return { [choice]: ['true', 'false'].includes(value) ? value === 'true' : value }
}
