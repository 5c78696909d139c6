import { localStorageColorSchemeManager, MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, useMemo, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

import { Problem } from "../api/problem";
import { I18nProvider, preferredLanguage, useT } from "../i18n/I18n";
import type { Loaders } from "../i18n/catalogue";
import { cssVariables, theme } from "../theme/theme";
import "../theme/styles";

/** newQueryClient retries what a second try can mend: a lost connection, a busy server. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, error) => failures < 2 && error instanceof Problem && (error.status === 0 || error.status === 503),
      },
    },
  });
}

/** start renders one of the two consoles once its language has arrived. */
export async function start(loaders: Loaders, queries: QueryClient, app: ReactNode): Promise<void> {
  reloadWhenOutdated();
  const language = preferredLanguage();
  const messages = await loaders[language]().catch(() => loaders.en());
  const root = document.getElementById("root");
  if (!root) throw new Error("the page has no root");
  createRoot(root).render(
    <StrictMode>
      <I18nProvider loaders={loaders} initial={{ language, messages }}>
        <Look>
          <QueryClientProvider client={queries}>
            {app}
            <Notifications position="bottom-right" />
          </QueryClientProvider>
        </Look>
      </I18nProvider>
    </StrictMode>,
  );
}

const schemes = localStorageColorSchemeManager({ key: "ujumbe.scheme" });

/** Look gives its children the theme, with words in the chosen language for the buttons that Mantine draws itself. */
function Look({ children }: { children: ReactNode }) {
  const t = useT();
  const worded = useMemo(
    () => mergeThemeOverrides(theme, { components: { Notification: { defaultProps: { closeButtonProps: { "aria-label": t("action.close") } } } } }),
    [t],
  );
  return (
    <MantineProvider theme={worded} defaultColorScheme="auto" cssVariablesResolver={cssVariables} colorSchemeManager={schemes}>
      {children}
    </MantineProvider>
  );
}

/**
 * After an update of the server the files of the page that is open are gone. A
 * reload brings the new page; once, lest a file that is truly missing loops.
 */
function reloadWhenOutdated(): void {
  addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem("ujumbe.reloaded") ?? 0);
    if (Date.now() - last < 60_000) return;
    event.preventDefault();
    sessionStorage.setItem("ujumbe.reloaded", String(Date.now()));
    location.reload();
  });
}
