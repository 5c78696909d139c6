import type { ReactNode } from "react";

import classes from "./Rows.module.css";

interface RowsProps {
  /** The rows are of the question before; those of the new one are on their way. */
  busy?: boolean;
  children: ReactNode;
}

/** Rows is a list of people or organizations. */
export function Rows({ busy = false, children }: RowsProps) {
  return (
    <ul className={classes.rows} aria-busy={busy}>
      {children}
    </ul>
  );
}

interface RowProps {
  /** Stands before the name. */
  start?: ReactNode;
  name: ReactNode;
  below: ReactNode;
  facts: ReactNode;
  actions?: ReactNode;
}

/** Row is one of them; on a phone its facts move below the name. */
export function Row({ start, name, below, facts, actions }: RowProps) {
  return (
    <li className={`panel ${classes.row}`}>
      {start}
      <div className={classes.text}>
        {name}
        {below}
      </div>
      <div className={classes.facts}>{facts}</div>
      {actions}
    </li>
  );
}

/** State says whether something is on, in a word beside a mark. */
export function State({ on, children }: { on: boolean; children: ReactNode }) {
  return (
    <span className={classes.state} data-off={on ? undefined : true}>
      {children}
    </span>
  );
}
