import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { listedStep, type UploadGroup, uploadGroupsQuery } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { Confirmation } from '../../controls/confirmation.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { MoreButton } from '../../controls/more-button.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { answersOf } from './asked-choice.tsx'
import { nameOf } from './group-preview.tsx'
import styles from './imports.module.css'
import { deletedCountOf, leftTexts } from './stored/undo-import.tsx'
import { countsOf } from './upload-row.tsx'

/** Files that were imported into several bank accounts; each is undone as a whole. */
export function UploadGroups() {
  const [count, setCount] = useState(listedStep)
  const { data: groups = [], isPlaceholderData } = useQuery(uploadGroupsQuery(count))
  const shown = groups.slice(0, count).filter((group) => partsOf(group).length > 0)
  if (shown.length === 0) return null
  return (
    <Card title={words.severalList}>
      <ul className={rows.rows}>
        {shown.map((one) => (
          <GroupRow key={one.uploadGroupId} group={one} />
        ))}
      </ul>
      <MoreButton
        query={{
          hasNextPage: groups.length > count,
          isFetchingNextPage: isPlaceholderData,
          fetchNextPage: () => setCount(count + listedStep),
        }}
      >
        {words.more}
      </MoreButton>
    </Card>
  )
}

/** Returns the imported accounts of a file. */
function partsOf({ statements }: UploadGroup) {
  return statements.flatMap(({ upload, ...statement }) => (upload ? { statement, upload } : []))
}

function GroupRow({ group }: { group: UploadGroup }) {
  const reader = useReader()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const [isAsked, setAsked] = useState(false)
  const { file, createdAt, status, undoneAt } = group
  const parts = partsOf(group)
  const accountOf = (id: string) => accounts.find((one) => one.bankAccountId === id)?.name ?? ''
  return (
    <li className={rows.row}>
      <div>
        <p className={rows.name}>{file.name}</p>
        <p className={rows.soft}>{formatInstant(createdAt, reader)}</p>
        {parts.map(({ statement, upload }) => (
          <p key={upload.transactionUploadId} className={rows.soft}>
            {nameOf(statement)} → {accountOf(upload.bankAccountId)}:{' '}
            {upload.error ? wordsOf(upload.error, upload.codedError) : countsOf(upload)}
          </p>
        ))}
        {status === 'failed' && <Answers group={group} />}
      </div>
      <div className={rows.figures} role="status">
        <p>{undoneAt === null ? words.statuses[status] : words.undone}</p>
        {status === 'processing' && <progress aria-label={words.reading} />}
        {undoneAt === null && parts.some(({ upload }) => upload.isUndoable) && (
          <div className={styles.flush}>
            <Button kind="quiet" onClick={() => setAsked(true)}>
              {words.undoAll}
            </Button>
          </div>
        )}
      </div>
      {isAsked && (
        <Undo
          group={group}
          names={parts.map(({ upload }) => accountOf(upload.bankAccountId))}
          onClose={() => setAsked(false)}
        />
      )}
    </li>
  )
}

/**
 * Buttons for the choice without which imports of a file have failed, such as the order of day and
 * month. Each repeats these imports.
 */
function Answers({ group }: { group: UploadGroup }) {
  const { uploadGroupId } = group
  const asking = partsOf(group).find(({ upload }) => upload.asks !== undefined)
  const { send, isSending, fault } = useChange((body: { dayFirst?: boolean }) =>
    coffer.updateUploadGroup({ path: { uploadGroupId }, body }),
  )
  if (asking === undefined || group.file.deletedAt !== null) return null
  return (
    <div className={rows.toolbar}>
      {fault && <FaultBanner fault={fault} />}
      {answersOf(asking.upload).map(({ label, body: { statement: _, joins: __, ...body } }) => (
        <Button key={label} isBusy={isSending} onClick={() => send(body)}>
          {label}
        </Button>
      ))}
    </div>
  )
}

function Undo(props: { group: UploadGroup; names: string[]; onClose: () => void }) {
  const { group, names, onClose } = props
  const { uploadGroupId, file } = group
  const uploads = partsOf(group).map(({ upload }) => upload)
  const count = deletedCountOf(uploads)
  return (
    <Confirmation
      title={words.undoTitle({ name: file.name })}
      action={words.undoAll}
      change={() => coffer.undoUploadGroup({ path: { uploadGroupId } })}
      onClose={onClose}
    >
      {[words.undoAllText({ accounts: names.join(', '), count }), ...leftTexts(uploads)].join(' ')}
    </Confirmation>
  )
}
