import { Group, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconTag } from "../../ui/icons";
import { Page } from "../../ui/Page";
import { tagsQuery } from "./queries";
import classes from "./TagsPage.module.css";
import { BadgeLink } from "../../ui/links";

/** TagsPage shows the tags in use; each leads to the contacts that have it. */
export function TagsPage() {
  const t = useT();
  const tags = useQuery(tagsQuery);
  return (
    <Page title={t("nav.tags")} description={t("tags.text")}>
      <Failure error={tags.error} retry={() => void tags.refetch()} />
      <div className="panel">
        {tags.isPending ? (
          <Group p="md" role="status" aria-label={t("shell.loading")}>
            {Array.from({ length: 6 }, (_, i) => (
              <Skeleton key={i} h={32} w={90} radius="xl" />
            ))}
          </Group>
        ) : null}
        {tags.data?.length === 0 ? <Empty icon={IconTag} title={t("tags.none")} text={t("tags.noneText")} /> : null}
        {tags.data?.length ? (
          <Group component="ul" className={classes.tags} gap="xs" p="md">
            {tags.data.map((tag) => (
              <li key={tag}>
                <BadgeLink to="/contacts" search={{ tags: tag }} variant="default" size="lg" tt="none" fw={500} className={classes.tag}>
                  {tag}
                </BadgeLink>
              </li>
            ))}
          </Group>
        ) : null}
      </div>
    </Page>
  );
}
