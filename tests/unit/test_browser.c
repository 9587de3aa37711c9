/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen of a profile: what keys do, how it grows, what it groups and finds. */
#include "core/render/browser.h"

#include "core/base/alloc.h"
#include "core/render/documents.h"
#include "core/run/screen_loop.h"
#include "tests/golden/hand_made.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

struct fixture {
	struct browser browser;
	struct graph_caption caption;
};

static void work(struct fixture *fixture)
{
	while (browser_work(&fixture->browser))
		;
}

static struct tree *batch_of(const struct profile *profile)
{
	static const struct tree_options options = { .every_root = true };
	struct tree *batch = xcalloc(1, sizeof(*batch));

	tree_init(batch, &options);
	tree_add_all(batch, profile, TREE_NOW);
	return batch;
}

/* More stacks: folded lines. */
static void add(struct fixture *fixture, const char *text)
{
	struct profile profile;

	profile_of_text(text, &profile);
	browser_take(&fixture->browser, batch_of(&profile));
	work(fixture);
	profile_done(&profile);
}

static void begin_with(struct fixture *fixture, const struct browser_options *options, const char *text)
{
	fixture->caption = (struct graph_caption){ .title = "Title", .subtitle = "", .unit = "samples" };
	browser_init(&fixture->browser, &fixture->caption, options);
	browser_resize(&fixture->browser, 24, 100);
	if (*text)
		add(fixture, text);
	work(fixture);
}

static void begin(struct fixture *fixture, const char *text)
{
	static const struct browser_options options = { .is_live = true, .save_name = "x.stk" };

	begin_with(fixture, &options, text);
}

static void end(struct fixture *fixture)
{
	browser_done(&fixture->browser);
}

static enum browser_wish press(struct fixture *fixture, const char *keys)
{
	enum browser_wish wish = BROWSER_STAY;

	for (; *keys; keys++) {
		wish = browser_press(&fixture->browser, *keys == '\n'     ? KEY_ENTER
							: *keys == '\x1b' ? KEY_ESCAPE
							: *keys == '\b'   ? KEY_BACKSPACE
									  : (unsigned char)*keys);
		work(fixture);
	}
	return wish;
}

/* The screen without its sequences; ">" where the line of the cursor begins. */
static char *screen_of(struct fixture *fixture)
{
	_cleanup_(buf_done) struct buf drawn = {};
	struct buf plain = {};
	size_t row = 0;

	browser_draw(&fixture->browser, &drawn);
	for (const char *at = buf_text(&drawn); *at; at++) {
		row += *at == '\n';
		if (!strncmp(at, "\x1b[7m", 4) && row >= 3 && row < fixture->browser.rows - 1)
			buf_addc(&plain, '>');
		if (*at == '\x1b')
			at += 1 + strcspn(at + 2, "mHK") + 1;
		else
			buf_addc(&plain, *at);
	}
	return plain.nr ? plain.data : xstrdup("");
}

/* The lines of the view, without numbers and bars: "> + main" is "+ main" at the cursor, one step in. */
static void expect(struct fixture *fixture, const char *wanted)
{
	_cleanup_(freep) char *screen = screen_of(fixture);
	_cleanup_(buf_done) struct buf lines = {};
	char *at = screen, *line;

	for (size_t row = 0; (line = strsep(&at, "\n")); row++) {
		const bool is_cursor = *line == '>';
		const size_t numbers = 2 * 9 - 1 + (fixture->browser.columns >= 100 ? 10 : 5) + 1;

		if (row < 3 || row + 1 == fixture->browser.rows || strlen(line) <= numbers)
			continue;
		line += is_cursor;
		buf_addf(&lines, "%s%s\n", is_cursor ? ">" : "", line + numbers);
	}
	assert_string_equal(buf_text(&lines), wanted);
}

static const char *cursor_name(const struct fixture *fixture)
{
	const struct browser *browser = &fixture->browser;
	const struct forest *forest = &browser->forests[browser->view];

	return tree_text(&browser->stacks.tree, forest->nodes.data[browser_cursor(browser)].frame);
}

static bool shows(struct fixture *fixture, const char *text)
{
	_cleanup_(freep) char *screen = screen_of(fixture);

	return strstr(screen, text);
}

#define TEXT "app;main;a;b 6\napp;main;c 3\nother;x 1\n"

TEST(the_heaviest_branch_is_open)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	expect(&fixture, ">- all\n - app\n  - main\n   - a\n      b\n     c\n + other\n");
	end(&fixture);
}

TEST(branches_open_and_close)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	press(&fixture, "jh");
	expect(&fixture, "- all\n> + app\n + other\n");
	press(&fixture, "l"); /* main is the only way below app */
	expect(&fixture, "- all\n> - app\n  - main\n   - a\n      b\n     c\n + other\n");
	press(&fixture, "G*");
	expect(&fixture, "- all\n - app\n  - main\n   - a\n      b\n     c\n> - other\n    x\n");
	assert_int_equal(press(&fixture, "q"), BROWSER_QUIT);
	end(&fixture);
}

TEST(numbers_and_bars)
{
	static const struct browser_options blocks = { .is_utf8 = true };
	struct fixture fixture;

	begin(&fixture, TEXT);
	assert_true(shows(&fixture, "  60.00%  60.00% ######           b\n"));
	assert_true(shows(&fixture, "10 samples   q end"));
	end(&fixture);
	begin_with(&fixture, &blocks, "app;a 1\napp;b 3\n");
	assert_true(shows(&fixture, "  25.00%  25.00% ██▌            a\n"));
	end(&fixture);
}

TEST(what_comes_is_added_and_nothing_moves_under_the_cursor)
{
	struct fixture fixture;

	begin(&fixture, "");
	expect(&fixture, ">  all\n");
	add(&fixture, "app;main;a 1\n");
	expect(&fixture, ">- all\n - app\n  - main\n     a\n");
	press(&fixture, "jjj");
	add(&fixture, "app;main;a 1\napp;main;big 5\nzap;main 30\n");
	expect(&fixture, " - app\n  - main\n     big\n>     a\n");
	end(&fixture);
}

TEST(hot_functions_count_recursion_once)
{
	struct fixture fixture;

	begin(&fixture, "app;f;f;g 4\napp;f;g;f 2\nnew;g 3\n");
	press(&fixture, "2");
	expect(&fixture, ">- all\n   g\n   f\n");
	assert_true(shows(&fixture, " 100.00%  77.78% ########      g\n"));
	assert_true(shows(&fixture, "  66.67%  22.22% ##            f\n"));
	press(&fixture, "o");
	assert_true(shows(&fixture, " 100.00%  77.78% ##########    g\n"));
	press(&fixture, "jg"); /* by command */
	expect(&fixture, ">- all\n + app\n + new\n");
	end(&fixture);
}

TEST(callers_of_all_and_of_one)
{
	struct fixture fixture;

	begin(&fixture, "app;main;a;leaf 6\napp;main;b;leaf 3\napp;main;b;other;leaf;deep 1\n");
	press(&fixture, "3");
	expect(&fixture, ">- all\n + leaf\n + deep\n");
	press(&fixture, "j\n");
	expect(&fixture, "- all\n> - leaf\n  + a\n  + b\n + deep\n");
	press(&fixture, "c"); /* of leaf, wherever it is */
	assert_true(shows(&fixture, " 3 callers   of leaf"));
	expect(&fixture, ">- all\n + leaf\n");
	press(&fixture, "j\n");
	expect(&fixture, "- all\n> - leaf\n  + a\n  + b\n  + other\n");
	assert_true(shows(&fixture, " 100.00%  90.00% "));
	press(&fixture, "2jj\n"); /* enter on a function: its callers */
	assert_true(shows(&fixture, " 3 callers   of deep"));
	end(&fixture);
}

TEST(views_keep_what_is_open)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	press(&fixture, "jhG\n");
	expect(&fixture, "- all\n + app\n> - other\n    x\n");
	press(&fixture, "21");
	expect(&fixture, "- all\n + app\n> - other\n    x\n");
	end(&fixture);
}

static const struct place read_place = { 0x10, "read", 0, "libc.so", false, false, 0 };
static const struct place main_place = { 0x20, "main", 0, "app", false, false, 0 };

TEST(groups_are_command_process_thread_container)
{
	static const struct place *const user[] = { &read_place, &main_place, NULL };
	static const struct event events[] = {
		{ .id = 1, .comm = "app", .tgid = 10, .tid = 10, .user = { STACK_OK, user }, .count = 1 },
		{ .id = 2, .comm = "app", .tgid = 10, .tid = 11, .user = { STACK_OK, user }, .count = 2 },
		{ .id = 3, .comm = "app", .tgid = 20, .tid = 20, .user = { STACK_OK, user }, .count = 4 },
		{},
	};
	struct profile profile;
	struct fixture fixture;

	profile_init(&profile);
	profile.view = (struct profile_view){ .style = VIEW_PROFILE, .want_user = true, .per_process = true };
	hand_interval(&profile, events, 0);
	for (size_t i = 0; i < profile.records.nr; i++)
		profile.records.data[i].cgroup_id = profile.records.data[i].tid == 20 ? 7 : 8;
	begin(&fixture, "");
	browser_take(&fixture.browser, batch_of(&profile));
	work(&fixture);
	expect(&fixture, ">- all\n - app\n  - main [app]\n     read [libc.so]\n");
	press(&fixture, "g");
	assert_true(shows(&fixture, "by process"));
	press(&fixture, "G");
	expect(&fixture, "- all\n - app (20)\n  - main [app]\n     read [libc.so]\n> + app (10)\n");
	press(&fixture, "g");
	assert_true(shows(&fixture, "by thread"));
	assert_true(shows(&fixture, " app (10/11)"));
	press(&fixture, "g");
	assert_true(shows(&fixture, "by container"));
	assert_true(shows(&fixture, "- cgroup 7"));
	press(&fixture, "g");
	expect(&fixture, ">- all\n - main [app]\n    read [libc.so]\n");
	profile_done(&profile);
	end(&fixture);
}

TEST(zoom_is_for_all_views)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	press(&fixture, "jjjz"); /* a */
	expect(&fixture, ">- a\n   b\n");
	assert_true(shows(&fixture, "only app > main > a"));
	assert_true(shows(&fixture, " 100.00%"));
	press(&fixture, "2");
	expect(&fixture, ">- all\n   b\n   main\n   a\n");
	press(&fixture, "1Z");
	assert_true(shows(&fixture, "only app > main  ") || shows(&fixture, "only app > main\n"));
	press(&fixture, "\x1b\x1b");
	assert_false(shows(&fixture, "only"));
	assert_true(shows(&fixture, "- all"));
	press(&fixture, "2jz"); /* a function has no branch */
	assert_true(shows(&fixture, "press 1"));
	end(&fixture);
}

TEST(search_while_it_is_typed)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	press(&fixture, "jhk/x");
	expect(&fixture, "- all\n + app\n - other\n>    x\n");
	assert_true(shows(&fixture, "/x"));
	assert_true(shows(&fixture, "matched: 10.00%"));
	press(&fixture, "\bc"); /* what x opened is closed again */
	expect(&fixture, "- all\n - app\n  - main\n   - a\n      b\n>     c\n + other\n");
	press(&fixture, "\x1b");
	expect(&fixture, ">- all\n + app\n + other\n");
	press(&fixture, "/^[bc]$\n");
	assert_int_equal(fixture.browser.matched, 9);
	assert_string_equal(cursor_name(&fixture), "b");
	press(&fixture, "n");
	assert_string_equal(cursor_name(&fixture), "c");
	press(&fixture, "nN");
	assert_string_equal(cursor_name(&fixture), "c");
	add(&fixture, "app;main;c 90\n");
	assert_false(shows(&fixture, "matched: 90.00%"));
	assert_int_equal(fixture.browser.matched, 99);
	press(&fixture, "/nowhere");
	assert_true(shows(&fixture, "nothing matches"));
	press(&fixture, "\b\b\b\b\b\b\b(");
	assert_true(shows(&fixture, "not complete"));
	press(&fixture, "\bq"); /* a letter of the search */
	assert_int_equal(fixture.browser.prompt, PROMPT_SEARCH);
	assert_int_equal(browser_press(&fixture.browser, KEY_QUIT), BROWSER_QUIT);
	end(&fixture);
}

/* Keys may come faster than the forest of another grouping is made. */
TEST(search_in_a_forest_that_is_not_made_yet)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	for (const char *keys = "g/x"; *keys; keys++)
		browser_press(&fixture.browser, (unsigned char)*keys);
	assert_true(shows(&fixture, "nothing matches"));
	work(&fixture);
	assert_true(shows(&fixture, "matched: 10.00%"));
	end(&fixture);
}

TEST(pause_restart_save_help)
{
	struct fixture fixture;

	begin(&fixture, TEXT);
	press(&fixture, " ");
	assert_true(shows(&fixture, "paused"));
	press(&fixture, " ");
	assert_false(shows(&fixture, "paused"));
	assert_int_equal(press(&fixture, "r"), BROWSER_RESTART);
	browser_restart(&fixture.browser);
	work(&fixture);
	expect(&fixture, ">  all\n");
	assert_int_equal(press(&fixture, "s\b\b\b\b1.stk\n"), BROWSER_SAVE);
	assert_string_equal(buf_text(&fixture.browser.typed), "x1.stk");
	press(&fixture, "?");
	assert_true(shows(&fixture, "callers of the function at the cursor"));
	press(&fixture, "x");
	assert_false(shows(&fixture, "callers of the function at the cursor"));
	end(&fixture);
}

TEST(small_screens_and_empty_trees_do_no_harm)
{
	static const int keys[] = { KEY_UP,  KEY_DOWN,  KEY_LEFT,      KEY_RIGHT,     KEY_PAGE_UP, KEY_PAGE_DOWN,
				    KEY_TAB, KEY_HOME,  KEY_END,       KEY_ENTER,     KEY_ESCAPE,  KEY_BACKSPACE,
				    'n',     '*',       '/',           'x',           'c',         'g',
				    'z',     'Z',       KEY_BACKSPACE, KEY_BACKSPACE, KEY_ENTER,   0,
				    0x1b,    KEY_REDRAW };
	static const char *const texts[] = { "", "a 1\n", TEXT, "\xc3\xa4\xe2\x82\xac;\xe2\x82\xac 1\n" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct fixture fixture;

		begin(&fixture, texts[i]);
		for (size_t k = 0; k < 7 * ARRAY_SIZE(keys); k++) {
			char *screen;

			browser_resize(&fixture.browser, k % 7, k % 11);
			assert_int_equal(browser_press(&fixture.browser, keys[k * 5 % ARRAY_SIZE(keys)]), BROWSER_STAY);
			if (k % 3)
				work(&fixture);
			screen = screen_of(&fixture);
			free(screen);
		}
		end(&fixture);
	}
}

/* At 80 columns the names of stacks of python3 were indented out of the screen. */
TEST(names_of_deep_stacks_are_seen)
{
	static const size_t columns[] = { 200, 80, 60 };
	_cleanup_(buf_done) struct buf text = {};
	struct fixture fixture;

	buf_adds(&text, "app");
	for (int i = 0; i < 150; i++)
		buf_addf(&text, ";function_%d", i);
	buf_adds(&text, " 1\n");
	begin(&fixture, buf_text(&text));
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		browser_resize(&fixture.browser, 24, columns[i]);
		browser_press(&fixture.browser, KEY_END);
		assert_true(shows(&fixture, "function_149\n"));
		assert_true(shows(&fixture, " - function_148\n"));
		browser_press(&fixture.browser, KEY_HOME);
	}
	end(&fixture);
}

/* The event of a saved profile is a stranger's text. */
TEST(a_title_is_shown_and_not_obeyed)
{
	static const struct output_options options;
	_cleanup_(buf_done) struct buf screen = {};
	_cleanup_(caption_done) struct caption captions;
	struct profile profile;
	struct fixture fixture;

	profile_of_text(TEXT, &profile);
	profile.event = profile_add_string(&profile, "x\x1b]0;owned\a");
	caption_init(&captions, &options, &profile);
	assert_string_equal(captions.graph.title, "folded: x\\x1b]0;owned\\x07");
	begin(&fixture, TEXT);
	fixture.browser.caption = &captions.graph;
	browser_draw(&fixture.browser, &screen);
	assert_null(strchr(buf_text(&screen), '\a'));
	assert_null(strstr(buf_text(&screen), "\x1b]"));
	profile_done(&profile);
	end(&fixture);
}

TEST(a_wish_to_save_comes_before_the_end)
{
	unsigned int wishes = 1U << BROWSER_QUIT | 1U << BROWSER_RESTART | 1U << BROWSER_SAVE;

	assert_int_equal(screen_take_wish(&wishes), BROWSER_SAVE);
	assert_int_equal(screen_take_wish(&wishes), BROWSER_RESTART);
	assert_int_equal(screen_take_wish(&wishes), BROWSER_QUIT);
	assert_int_equal(screen_take_wish(&wishes), BROWSER_STAY);
}
