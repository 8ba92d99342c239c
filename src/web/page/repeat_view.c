#include "web/page/repeat_view.h"

#include <string.h>

#include "app/reminder/repeat.h"

void repeat_view(struct view *v, const struct lang *l, const char *choice)
{
    static const char *const labels[] = {"repeat.never", "repeat.choose_daily", "repeat.choose_weekdays",
        "repeat.choose_weekly", "repeat.choose_monthly", "repeat.choose_yearly", "repeat.choose_custom"};
    struct view *list = view_list(v, "repeats");
    for (size_t i = 0; repeat_choices[i]; i++) {
        struct view *item = view_item(list);
        view_text(item, "value", repeat_choices[i]);
        view_text(item, "label", lang_text(l, labels[i]));
        view_bool(item, "selected", choice && strcmp(choice, repeat_choices[i]) == 0);
    }
}
