import { useNavigate } from '@tanstack/react-router'
import { dropFile } from '../../../api/dropped-file.ts'
import type { Misfit } from '../../../api/import-queries.ts'
import { Button } from '../../../controls/button.tsx'
import form from '../../../controls/form.module.css'
import { useAccountNames } from '../../../shell/distinct-names.ts'
import { importWords as words } from '../../../words/imports.ts'

interface Props {
  bankAccountId: string
  /** Evidence that the file belongs to another bank account. */
  misfits: readonly Misfit[] | undefined
  /** The file of a CSV import, to import it into another bank account; null after a reload. */
  again?: File | null
  /** Whether the screen has its own choice of bank accounts, so that no link is needed. */
  hasChoice?: boolean
}

/** Shows why a file may belong to another bank account, with a link to import it there. */
export function Misfits({ bankAccountId, misfits = [], again, hasChoice = false }: Props) {
  const names = useAccountNames()
  const navigate = useNavigate()
  if (misfits.length === 0) return null
  const account = names.get(bankAccountId) ?? ''
  const nameOf = (id: string | null) => names.get(id ?? '') ?? ''
  const others = hasChoice ? [] : [...new Set(misfits.flatMap((one) => one.bankAccountId ?? []))]
  const lead = (to: string) => {
    if (again) dropFile(again)
    void navigate({ to: '/imports', search: { account: to } })
  }
  return (
    <div role="alert" className={form.banner}>
      {misfits.map(({ reason, stated, rowCount, bankAccountId: other }) => (
        <p key={reason}>
          {reason === 'number' && words.misfitNumber({ account, stated: stated ?? '' })}
          {reason === 'kind' && words.misfitKinds[isCard(stated) ? 'card' : 'bank']({ account })}
          {reason === 'rows' &&
            words.misfitRows({ account, other: nameOf(other), count: rowCount ?? 0 })}
        </p>
      ))}
      {others.map((other) => (
        <Button key={other} onClick={() => lead(other)}>
          {words.misfitTo({ other: nameOf(other) })}
        </Button>
      ))}
    </div>
  )
}

function isCard(kind: string | null): boolean {
  return kind !== null && /card|creditline/.test(kind)
}
