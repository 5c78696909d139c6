import { Anchor, Badge, Button, Menu, type AnchorProps, type BadgeProps, type ButtonProps, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type Rest<P> = P & Omit<ComponentPropsWithRef<"a">, keyof P>;

// Mantine's components as links whose addresses the compiler checks.

/** AnchorLink is a link in a text. */
export const AnchorLink = createLink((props: Rest<AnchorProps>) => <Anchor {...props} />);

/** ButtonLink is a link that looks like a button. */
export const ButtonLink = createLink((props: Rest<ButtonProps>) => <Button component="a" {...props} />);

/** MenuLink is a link in a menu. */
export const MenuLink = createLink((props: Rest<MenuItemProps>) => <Menu.Item component="a" {...props} />);

/** BadgeLink is a link that looks like a tag. */
export const BadgeLink = createLink((props: Rest<BadgeProps>) => <Badge component="a" {...props} />);
