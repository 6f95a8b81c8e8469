import { Link } from '@tanstack/react-router'
import type { Import } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { BackToColumns, isRereadable, type WayBack } from './back-to-columns.tsx'
import { useReadAgain } from './read-again.ts'
import type { Choices } from './read-choices.tsx'

interface Props {
  found: Import
  way: WayBack
}

/** The reason why a CSV file could not be read, with advice and the possible next steps. */
export function ReadingFault({ found, way }: Props) {
  const { bankAccountId: account, error = '', codedError } = found
  const advice = words.advice[codedError?.cause?.code ?? '']
  const isReadAgain = isRereadable(found)
  return (
    <Card title={words.failed}>
      <div role="alert">
        <p>{wordsOf(error, codedError)}</p>
        {isReadAgain && advice && <p>{advice}</p>}
      </div>
      {isReadAgain && <WaysToRead found={found} />}
      <div className={rows.toolbar}>
        {isReadAgain && <BackToColumns {...way} />}
        <Link to="/imports" search={{ account }}>
          {words.again}
        </Link>
      </div>
    </Card>
  )
}

/** Buttons for the choices that resolve an ambiguous file; each keeps the chosen mapping. */
function WaysToRead({ found }: { found: Import }) {
  const { send, isSending, fault } = useReadAgain(found)
  return (
    <div className={rows.toolbar}>
      {fault && <FaultBanner fault={fault} />}
      {waysOf(found).map(({ label, choice }) => (
        <Button key={label} isBusy={isSending} onClick={() => send(choice)}>
          {label}
        </Button>
      ))}
    </div>
  )
}

function waysOf({ codedError }: Import): { label: string; choice: Choices }[] {
  if (codedError?.code === 'MARK_UNCLEAR') {
    return [
      { label: words.decimalPoint, choice: { decimalMark: '.' } },
      { label: words.decimalComma, choice: { decimalMark: ',' } },
    ]
  }
  if (codedError?.code === 'SIGNS_UNCLEAR') {
    return [
      { label: words.minusBack, choice: { minusReverses: true } },
      { label: words.minusUsual, choice: { minusReverses: false } },
    ]
  }
  const all = { label: words.allRows, choice: { statement: '*' } }
  if (codedError?.code === 'ACCOUNTS_UNNAMED') return [all]
  if (codedError?.code !== 'ACCOUNTS_OF_TABLE') return []
  const names = (codedError.params?.names ?? '').split(', ')
  return [...names.map((name) => ({ label: name, choice: { statement: name } })), all]
}
